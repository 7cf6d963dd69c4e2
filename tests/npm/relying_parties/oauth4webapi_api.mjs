// A program that knows an API by its address alone, and asks the person for all of its scopes.
import * as oauth from "oauth4webapi";
import { given, report } from "./person.mjs";
import * as party from "./oauth4webapi.mjs";

const { resource, served } = given;
// Who deploys the API leads its address to where it serves.
const http = {
  ...party.http,
  [oauth.customFetch]: (url, options) => fetch(url.replace(resource, served), options),
};
const notes = (token) =>
  oauth.protectedResourceRequest(token, "GET", new URL(`${resource}/notes`), undefined, undefined, http);

const [challenge] = await notes("of-nobody").then(
  () => [],
  (error) => error.cause,
);
const metadata = await oauth.processResourceDiscoveryResponse(
  new URL(resource),
  await oauth.resourceDiscoveryRequest(new URL(resource), http),
);
const scope = ["openid", ...metadata.scopes_supported].join(" ");
const tokens = await party.redeem(await party.authorize({ scope, resource }));
const answer = await notes(tokens.access_token);

report({
  challenge: challenge.parameters,
  metadata,
  issuer: party.server.issuer,
  scope: tokens.scope,
  status: answer.status,
  notes: await answer.json(),
});
