// The npm client of the session API in a page: what a front end bundles and serves.
import { createAuthClient } from "better-auth/client";

const client = createAuthClient({ baseURL: new URLSearchParams(location.search).get("service") });

client.useSession.subscribe(({ data, isPending }) => {
  const person = data ? `Signed in as ${data.user.name}` : "Nobody is signed in";
  document.body.textContent = isPending ? "Asking" : person;
});

window.client = client;
