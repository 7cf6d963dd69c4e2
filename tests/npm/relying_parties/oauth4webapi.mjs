// oauth4webapi as a relying party: each request with every check that the library makes.
import * as oauth from "oauth4webapi";
import { client, given, issuer, open, proof, redirectUri } from "./person.mjs";

export const http = { [oauth.allowInsecureRequests]: true };

export const server = await oauth.processDiscoveryResponse(
  new URL(issuer),
  await oauth.discoveryRequest(new URL(issuer), { ...http, algorithm: given.discovery }),
);
export const authentication = await proof(oauth);

const verifier = oauth.generateRandomCodeVerifier();
const nonce = oauth.generateRandomNonce();

// Return the parameters of a successful answer; an error is thrown.
export async function authorize(parameters) {
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
    ...parameters,
  });
  const back = await open(url.href);
  const answer = back.form ? new URLSearchParams(back.form) : new URL(back.url);
  return oauth.validateAuthResponse(server, client, answer, state);
}

export async function redeem(parameters, additionalParameters = {}) {
  const response = await oauth.authorizationCodeGrantRequest(
    server, client, authentication, parameters, redirectUri, verifier,
    { ...http, additionalParameters },
  );
  const checks = { expectedNonce: nonce, requireIdToken: true, maxAge: given.maxAge };
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
  await oauth.validateApplicationLevelSignature(server, response, http);
  return tokens;
}

export async function refresh(token) {
  const response = await oauth.refreshTokenGrantRequest(
    server, client, authentication, token, http,
  );
  const tokens = await oauth.processRefreshTokenResponse(server, client, response);
  if (tokens.id_token) await oauth.validateApplicationLevelSignature(server, response, http);
  return tokens;
}

export async function userinfo(token, sub) {
  const response = await oauth.userInfoRequest(server, client, token, http);
  const found = await oauth.processUserInfoResponse(server, client, sub, response);
  if (client.userinfo_signed_response_alg)
    await oauth.validateApplicationLevelSignature(server, response, http);
  return found;
}

export async function introspect(token) {
  const response = await oauth.introspectionRequest(server, client, authentication, token, http);
  return await oauth.processIntrospectionResponse(server, client, response);
}

export async function revoke(token) {
  const response = await oauth.revocationRequest(server, client, authentication, token, http);
  await oauth.processRevocationResponse(response);
}
