// What a relying party is given, the person it sends to the service, and what it found out.
// Standard output has one JSON object a line; standard input says where the person was sent back.
import { createInterface } from "node:readline";
import { importJWK } from "jose";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

export const { issuer, client, redirectUri, postLogoutRedirectUri, ...given } = JSON.parse(
  process.argv[2],
);

// Return how the client proves itself, with a library that names the ways as these two do.
export async function proof(library) {
  const { token_endpoint_auth_method: method, client_secret: secret, private_key: jwk } = client;
  if (method === "private_key_jwt")
    return library.PrivateKeyJwt({ key: await importJWK(jwk), kid: jwk.kid });
  return {
    client_secret_basic: library.ClientSecretBasic,
    client_secret_post: library.ClientSecretPost,
    none: library.None,
  }[method](secret);
}

// Return the request that the person's browser makes in the end: its URL and, if any, its form.
export async function open(url) {
  console.log(JSON.stringify({ open: url }));
  return JSON.parse((await lines.next()).value);
}

export function report(findings) {
  console.log(JSON.stringify({ findings }));
  process.stdin.destroy();
}

// Return what a refused call says is the error.
export async function refusal(promise) {
  try {
    await promise;
  } catch (error) {
    if (error.error === undefined) throw error;
    return error.error;
  }
  throw new Error("nothing was refused");
}
