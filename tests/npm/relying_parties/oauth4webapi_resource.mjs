// An access token for a resource, got by oauth4webapi and checked by it as the resource's server.
import * as oauth from "oauth4webapi";
import { given, report } from "./person.mjs";
import * as party from "./oauth4webapi.mjs";

async function received(token, resource) {
  const headers = { authorization: `Bearer ${token}` };
  const request = new Request(`${resource}/notes`, { headers });
  return await oauth.validateJwtAccessToken(party.server, request, resource, party.http);
}

const { resource } = given;
const scope = "openid profile offline_access notes:read";
const tokens = await party.redeem(await party.authorize({ scope, resource }), { resource });
const renewed = await party.refresh(tokens.refresh_token);
const elsewhere = await received(tokens.access_token, "https://other.example.com").then(
  () => "accepted",
  (error) => error.cause?.code ?? error.code,
);

report({
  sub: oauth.getValidatedIdTokenClaims(tokens).sub,
  first: await received(tokens.access_token, resource),
  second: await received(renewed.access_token, resource),
  elsewhere,
});
