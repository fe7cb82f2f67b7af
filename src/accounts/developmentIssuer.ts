import { generateKeyPairSync, randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Adapter, AdapterPayload, default as Provider } from "oidc-provider"

/** The path of the issuer on its server. */
export const DEVELOPMENT_ISSUER_PATH = "/dev-issuer"
/** The issuer that its people are stored with, because its URL changes with the port. */
export const DEVELOPMENT_ISSUER = "development"

const SESSION_SECONDS = 3600
const SIGN_IN_SECONDS = 900

/** State for the lifetime of the process. There are no sessions: people identify themselves at each sign-in. */
const inMemory = () => {
  const kept = new Map<string, { readonly payload: AdapterPayload; readonly until: number }>()
  return class implements Adapter {
    readonly model: string
    constructor(model: string) {
      this.model = model
    }
    async upsert(id: string, payload: AdapterPayload, expiresIn: number) {
      if (this.model === "Session") return
      for (const [key, { until }] of kept) if (until < Date.now()) kept.delete(key)
      kept.set(`${this.model}:${id}`, { payload, until: Date.now() + (expiresIn || SESSION_SECONDS) * 1000 })
    }
    async find(id: string) {
      const found = kept.get(`${this.model}:${id}`)
      return found === undefined || found.until < Date.now() ? undefined : found.payload
    }
    async findByUid() {
      return undefined
    }
    async findByUserCode() {
      return undefined
    }
    async consume(id: string) {
      const payload = await this.find(id)
      if (payload !== undefined) payload["consumed"] = Math.floor(Date.now() / 1000)
    }
    async destroy(id: string) {
      kept.delete(`${this.model}:${id}`)
    }
    async revokeByGrantId(grantId: string) {
      for (const [key, { payload }] of kept) if (payload.grantId === grantId) kept.delete(key)
    }
  }
}

export interface DevelopmentIssuerOptions {
  /** The full URL, including the path. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

export interface DevelopmentIssuer {
  /** Handles all protocol requests, by the path within the issuer. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** The pending sign-in of the browser. Null: there is none. */
  readonly underWay: (request: IncomingMessage, response: ServerResponse) => Promise<string | null>
  /** Where the browser goes next, now that the person has given their name. */
  readonly signIn: (request: IncomingMessage, response: ServerResponse, name: string) => Promise<string>
}

/** A subject is at most 255 ASCII characters, for any name. */
const subjectOf = (name: string) => Buffer.from(name.toLowerCase()).toString("base64url")
const nameOf = (subject: string) => Buffer.from(subject, "base64url").toString()

const settled = (provider: Provider): DevelopmentIssuer => ({
  handle: provider.callback() as DevelopmentIssuer["handle"],
  underWay: (request, response) =>
    provider.interactionDetails(request, response).then(
      ({ uid }) => uid,
      () => null
    ),
  signIn: (request, response, name) =>
    provider.interactionResult(request, response, { login: { accountId: subjectOf(name) } })
})

/**
 * An OpenID Connect issuer that accepts any name from people who have proved that they can read the server's console.
 * It makes the whole flow work on a developer's machine. It has one client, this server, and forgets everything when
 * the process ends.
 */
export const makeDevelopmentIssuer = async ({
  issuer,
  clientId,
  clientSecret,
  redirectUri
}: DevelopmentIssuerOptions): Promise<DevelopmentIssuer> => {
  const { default: Provider } = await import("oidc-provider")
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return settled(
    new Provider(issuer, {
      adapter: inMemory(),
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [redirectUri],
          grant_types: ["authorization_code"],
          response_types: ["code"],
          id_token_signed_response_alg: "ES256"
        }
      ],
      jwks: {
        keys: [{ ...privateKey.export({ format: "jwk" }), kty: "EC", use: "sig", alg: "ES256", kid: "development" }]
      },
      cookies: { keys: [randomBytes(32).toString("base64url")] },
      claims: { openid: ["sub"], profile: ["name"], email: ["email"] },
      conformIdTokenClaims: false,
      expiresWithSession: () => false,
      enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        userinfo: { enabled: false }
      },
      pkce: { required: () => true },
      interactions: { url: (_, interaction) => `${DEVELOPMENT_ISSUER_PATH}/interaction/${interaction.uid}` },
      findAccount: (_, subject) => ({
        accountId: subject,
        claims: () => Promise.resolve({ sub: subject, name: nameOf(subject) })
      }),
      // The only client is this server, so no consent is needed.
      loadExistingGrant: async (context) => {
        const { client, session } = context.oidc
        const grant = new context.oidc.provider.Grant({
          clientId: client?.clientId ?? "",
          accountId: session?.accountId ?? ""
        })
        grant.addOIDCScope("openid profile email")
        await grant.save()
        return grant
      },
      renderError: (context, { error, error_description }) => {
        context.type = "text/plain"
        context.body = `${error}: ${error_description ?? ""}`
      },
      ttl: {
        AccessToken: SIGN_IN_SECONDS,
        AuthorizationCode: 60,
        Grant: SESSION_SECONDS,
        IdToken: SIGN_IN_SECONDS,
        Interaction: SIGN_IN_SECONDS,
        Session: SESSION_SECONDS
      }
    })
  )
}
