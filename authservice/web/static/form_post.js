// The authorization response is the page's only form. Kept to ECMAScript 3 for old browsers.
document.forms[0].submit();
