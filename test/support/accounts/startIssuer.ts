import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { Provider } from "oidc-provider"

export const ISSUER_CLIENT = { id: "troupe", secret: "a secret of the issuer's" }

export interface TestIssuer {
  readonly url: string
  /** Starts the issuer, now that the address of its client is known. */
  readonly know: (redirectUri: string) => void
  /** The claims of who is signed in there. Nobody is asked. */
  readonly become: (claims: Readonly<Record<string, unknown>>) => void
  readonly close: () => void
}

/** A real OpenID Connect issuer, on a port of its own, with whatever claims a test wants. */
export const startIssuer = async (): Promise<TestIssuer> => {
  let provider: Provider | null = null
  let current: Readonly<Record<string, unknown>> = {}
  const people = new Map<string, Readonly<Record<string, unknown>>>()
  const server = createServer((request, response) => {
    if (provider === null) return void response.writeHead(503).end()
    if (!request.url?.startsWith("/interaction/")) return void provider.callback()(request, response)
    const accountId = randomBytes(8).toString("hex")
    people.set(accountId, current)
    void provider
      .interactionResult(request, response, { login: { accountId, remember: false } })
      .then((location) => void response.writeHead(303, { location }).end())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return {
    url,
    know: (redirectUri) => {
      provider = new Provider(url, {
        clients: [
          {
            client_id: ISSUER_CLIENT.id,
            client_secret: ISSUER_CLIENT.secret,
            redirect_uris: [redirectUri],
            grant_types: ["authorization_code"],
            response_types: ["code"],
            id_token_signed_response_alg: "ES256"
          }
        ],
        jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kty: "EC", use: "sig", alg: "ES256", kid: "test" }] },
        cookies: { keys: [randomBytes(32).toString("base64url")] },
        claims: { openid: ["sub", "groups"], profile: ["name"], email: ["email", "email_verified"] },
        conformIdTokenClaims: false,
        enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
        features: { devInteractions: { enabled: false }, userinfo: { enabled: false } },
        interactions: { url: (_, { uid }) => `/interaction/${uid}` },
        findAccount: (_, sub) => ({
          accountId: sub,
          claims: () => Promise.resolve({ ...people.get(sub), sub })
        }),
        loadExistingGrant: async (context) => {
          const { client, session } = context.oidc
          const grant = new context.oidc.provider.Grant({
            clientId: client?.clientId ?? "",
            accountId: session?.accountId ?? ""
          })
          grant.addOIDCScope("openid profile email")
          await grant.save()
          return grant
        }
      })
    },
    become: (claims) => {
      current = claims
    },
    close: () => void server.close()
  }
}
