// From discovery to logout with oauth4webapi.
import * as oauth from "oauth4webapi";
import { client, given, open, postLogoutRedirectUri, refusal, report } from "./person.mjs";
import * as party from "./oauth4webapi.mjs";

const scope = { scope: "openid profile email offline_access" };
const tokens = await party.redeem(await party.authorize({ ...scope, ...given.authorization }));
const claims = oauth.getValidatedIdTokenClaims(tokens);
const userinfo = await party.userinfo(tokens.access_token, claims.sub);

const renewed = await party.refresh(tokens.refresh_token);
const rotated = renewed.refresh_token !== tokens.refresh_token;
const again = await party.userinfo(renewed.access_token, claims.sub);

const secret = client.token_endpoint_auth_method !== "none";
const before = secret ? await party.introspect(renewed.access_token) : null;
await party.revoke(renewed.refresh_token);
const after = secret ? await party.introspect(renewed.refresh_token) : null;
const revoked = await refusal(party.refresh(renewed.refresh_token));

const state = oauth.generateRandomState();
const url = new URL(party.server.end_session_endpoint);
url.search = new URLSearchParams({
  id_token_hint: tokens.id_token,
  post_logout_redirect_uri: postLogoutRedirectUri,
  state,
});
const signedOut = (await open(url.href)).url === `${postLogoutRedirectUri}?state=${state}`;
const silent = await refusal(party.authorize({ ...scope, prompt: "none" }));

report({ claims, userinfo, again, rotated, before, after, revoked, signedOut, silent });
