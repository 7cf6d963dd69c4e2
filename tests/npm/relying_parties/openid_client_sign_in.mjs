// From discovery to logout with openid-client, every signature checked.
import * as oidc from "openid-client";
import { client, given, issuer, open, proof, redirectUri, refusal, report } from "./person.mjs";
import { postLogoutRedirectUri } from "./person.mjs";

const config = await oidc.discovery(
  new URL(issuer), client.client_id, client, await proof(oidc),
  {
    algorithm: given.discovery,
    execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
  },
);
const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
const expectedNonce = oidc.randomNonce();

async function signIn(parameters) {
  const expectedState = oidc.randomState();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "openid profile email offline_access",
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    state: expectedState,
    nonce: expectedNonce,
    ...parameters,
  });
  const back = await open(url.href);
  const body = back.form && new URLSearchParams(back.form);
  const answer = body ? new Request(back.url, { method: "POST", body }) : new URL(back.url);
  return await oidc.authorizationCodeGrant(config, answer, {
    pkceCodeVerifier, expectedState, expectedNonce, maxAge: given.maxAge, idTokenExpected: true,
  });
}

const tokens = await signIn(given.authorization);
const claims = tokens.claims();
const userinfo = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);

const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token);
const rotated = renewed.refresh_token !== tokens.refresh_token;
const again = await oidc.fetchUserInfo(config, renewed.access_token, claims.sub);

const secret = client.token_endpoint_auth_method !== "none";
const before = secret ? await oidc.tokenIntrospection(config, renewed.access_token) : null;
await oidc.tokenRevocation(config, renewed.refresh_token);
const after = secret ? await oidc.tokenIntrospection(config, renewed.refresh_token) : null;
const revoked = await refusal(oidc.refreshTokenGrant(config, renewed.refresh_token));

const state = oidc.randomState();
const url = oidc.buildEndSessionUrl(config, {
  id_token_hint: tokens.id_token,
  post_logout_redirect_uri: postLogoutRedirectUri,
  state,
});
const signedOut = (await open(url.href)).url === `${postLogoutRedirectUri}?state=${state}`;
const silent = await refusal(signIn({ prompt: "none" }));

report({ claims, userinfo, again, rotated, before, after, revoked, signedOut, silent });
