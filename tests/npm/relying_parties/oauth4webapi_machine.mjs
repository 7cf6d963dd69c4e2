// A machine with oauth4webapi: tokens in its own name, checked as the APIs would check them.
import * as oauth from "oauth4webapi";
import { client, given, refusal, report } from "./person.mjs";
import * as party from "./oauth4webapi.mjs";

const { resource, opaque } = given;

async function tokenFor(parameters) {
  const response = await oauth.clientCredentialsGrantRequest(
    party.server, client, party.authentication, parameters, party.http,
  );
  return await oauth.processClientCredentialsResponse(party.server, client, response);
}

const signed = await tokenFor({ resource });
const headers = { authorization: `Bearer ${signed.access_token}` };
const request = new Request(`${resource}/notes`, { headers });
const unsigned = await tokenFor({ scope: "files:read" });
const bearer = await oauth.userInfoRequest(party.server, client, signed.access_token, party.http);

report({
  claims: await oauth.validateJwtAccessToken(party.server, request, resource, party.http),
  introspected: await party.introspect(unsigned.access_token),
  refused: { error: await refusal(tokenFor({ resource: opaque, scope: "notes:read" })) },
  userinfo: (await bearer.json()).error,
});
