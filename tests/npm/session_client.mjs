// The npm client of the session API in Node.js, driven from outside: each line of standard input
// asks for one thing in JSON, and one line of JSON answers. The jar of fetch-cookie keeps cookies.
import { createInterface } from "node:readline";
import { createAuthClient } from "better-auth/client";
import fetchCookie from "fetch-cookie";

const [baseURL, origin] = process.argv.slice(2);
const fetchWithJar = fetchCookie(fetch);
const client = createAuthClient({
  baseURL,
  // Node's fetch sends no Origin of its own.
  fetchOptions: { customFetchImpl: fetchWithJar, headers: origin ? { origin } : {} },
});

async function call(name, argument) {
  const method = name.split(".").reduce((object, part) => object[part], client);
  return await method(argument);
}

async function open(url, form) {
  const body = form && new URLSearchParams(form);
  const method = form ? "POST" : "GET";
  const answer = await fetchWithJar(url, { method, body, redirect: "manual" });
  return { location: answer.headers.get("location"), text: await answer.text() };
}

// A Date says that it is one: JSON would make it a text like any other.
function tagged(name, value) {
  return this[name] instanceof Date ? { date: this[name].getTime() } : value;
}

for await (const line of createInterface({ input: process.stdin })) {
  const sent = JSON.parse(line);
  const answer = sent.call ? call(sent.call, sent.argument) : open(sent.open, sent.form);
  console.log(JSON.stringify(await answer, tagged));
}
