import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { createHmac, randomBytes } from "node:crypto"
import type { ClientAuth, Configuration } from "openid-client"
import { type AllowList, parseAllowList } from "#channels/outbound/AllowList.ts"
import { guardedFetch } from "#channels/outbound/guardedFetch.ts"
import type { Person } from "#src/db/tenancy/Accounts.ts"
import {
  DEVELOPMENT_ISSUER,
  DEVELOPMENT_ISSUER_PATH,
  type DevelopmentIssuer,
  makeDevelopmentIssuer
} from "./developmentIssuer.ts"
import { isOnlyHere } from "./isOnlyHere.ts"
import type { Claims } from "./operatorRules.ts"

export interface IdentityProviderOptions {
  /** Null: the development issuer, except in production or behind a proxy. */
  readonly issuer: {
    readonly url: string
    readonly clientId: string
    readonly clientSecret: Redacted.Redacted<string>
  } | null
  readonly production: boolean
  /** Requests of others that a proxy forwards appear to come from this machine. */
  readonly behindProxy: boolean
  readonly allow: AllowList
}

/**
 * `unavailable`: the provider returned no usable answer. `refused`: the provider or this server did not let the person
 * in.
 */
export class SignInFailed extends Schema.TaggedError<SignInFailed>()("SignInFailed", {
  reason: Schema.Literals(["unavailable", "refused"]),
  code: Schema.String
}) {}

export interface SignIn {
  /** The base URL of this server, as browsers reach it. */
  readonly baseUrl: string
  /** A secret that only the browser knows. Everything that binds the answer to this sign-in is derived from it. */
  readonly cookie: string
  /** Where the provider redirects the browser. */
  readonly callbackPath: string
}

/** A person with the claims of their ID token. */
export interface IdentifiedPerson extends Person {
  readonly claims: Claims & { readonly sub: string }
}

/** Where the provider redirects the browser of a person who signs in to their account. */
export const CALLBACK_PATH = "/device/callback"
/** The same for an operator who signs in to the console. */
export const CONSOLE_CALLBACK_PATH = "/console/sign-in/callback"
const TIMEOUT_SECONDS = 10
const MAX_CHARACTERS = 200

/** OpenID Connect Core, 2. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/

const derived = (cookie: string, what: "state" | "nonce" | "verifier") =>
  createHmac("sha256", cookie).update(what).digest("base64url")

const text = (claim: unknown): string | null =>
  typeof claim === "string" && claim.trim() !== ""
    ? claim.toWellFormed().replaceAll("\0", "").slice(0, MAX_CHARACTERS)
    : null

/** The error code from openid-client, without the details, some of which come from the browser. */
const codeOf = (error: unknown): string =>
  (error instanceof Error && "error" in error
    ? String(error.error)
    : error instanceof Error && "code" in error
      ? String(error.code)
      : "unknown"
  ).slice(0, 100)
const unavailable = (error: unknown) => new SignInFailed({ reason: "unavailable", code: codeOf(error) })
/** Separates a refusal or an invalid answer from a missing answer or a provider error. */
const refusedOrNot = (error: unknown) => {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return /^OAUTH_(?!TIMEOUT|RESPONSE_IS_NOT)/.test(code)
    ? new SignInFailed({ reason: "refused", code: codeOf(error) })
    : unavailable(error)
}

/**
 * Where people sign in: the OpenID Connect issuer from the settings, or the development issuer. Loaded with the first
 * sign-in.
 */
export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    /** Which provider is used. Null: nobody can sign in. */
    readonly kind: (baseUrl: string) => "issuer" | "development" | null
    /** The URL for the browser. `again`: the provider asks for the identity even if the browser is signed in there. */
    readonly signInUrl: (signIn: SignIn & { readonly again: boolean }) => Effect.Effect<string, SignInFailed>
    /** The person who signed in, from the query of the provider's redirect. */
    readonly completeSignIn: (
      signIn: SignIn & { readonly query: string }
    ) => Effect.Effect<IdentifiedPerson, SignInFailed>
    /** Null: this server has none. */
    readonly development: (baseUrl: string) => Promise<DevelopmentIssuer> | null
  }
>()("src/accounts/IdentityProvider") {
  static readonly layer = ({ issuer: given, production, behindProxy, allow }: IdentityProviderOptions) =>
    Layer.effect(
      IdentityProvider,
      Effect.gen(function* () {
        const own = { clientId: "troupe", clientSecret: Redacted.make(randomBytes(32).toString("base64url")) }
        const { clientId, clientSecret } = given ?? own
        const isLocal = (baseUrl: string) => given === null && isOnlyHere({ baseUrl, production, behindProxy })
        const scope = yield* Effect.scope
        const context = yield* Effect.context<never>()

        let development: Promise<DevelopmentIssuer> | null = null
        const startDevelopment = (baseUrl: string) =>
          (development ??= makeDevelopmentIssuer({
            issuer: baseUrl + DEVELOPMENT_ISSUER_PATH,
            clientId,
            clientSecret: Redacted.value(clientSecret),
            redirectUri: baseUrl + CALLBACK_PATH
          }))

        let calls: Promise<(url: string, init?: RequestInit) => Promise<Response>> | null = null
        /**
         * The operator trusts the issuer's host. Other hosts that the issuer names are guarded like hosts that a tenant
         * names.
         */
        const discover = async (issuer: URL): Promise<Configuration> => {
          const client = await import("openid-client")
          const named = parseAllowList(
            `${issuer.hostname}:${issuer.port || (issuer.protocol === "https:" ? "443" : "80")}`
          )
          calls ??= Effect.runPromiseWith(context)(
            guardedFetch([...allow, ...("allow" in named ? named.allow : [])]).pipe(Scope.provide(scope))
          )
          const fetch = await calls
          const secret = Redacted.value(clientSecret)
          const authenticate: ClientAuth = (server, metadata, body, headers) => {
            const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
            const way = methods.includes("client_secret_basic")
              ? client.ClientSecretBasic(secret)
              : client.ClientSecretPost(secret)
            way(server, metadata, body, headers)
          }
          return client.discovery(issuer, clientId, undefined, authenticate, {
            timeout: TIMEOUT_SECONDS,
            [client.customFetch]: (url, init) => fetch(url, init as RequestInit),
            execute: [
              // Otherwise openid-client does not look at the signature of an ID token from the token endpoint.
              client.enableNonRepudiationChecks,
              ...(issuer.protocol === "http:" ? [client.allowInsecureRequests] : [])
            ]
          })
        }
        let configuration: Promise<Configuration> | null = null
        const configured = (baseUrl: string) =>
          Effect.tryPromise({
            try: () => {
              configuration ??= discover(new URL(given?.url ?? baseUrl + DEVELOPMENT_ISSUER_PATH))
              return configuration
            },
            catch: unavailable
          }).pipe(
            Effect.tapError(() =>
              Effect.sync(() => {
                configuration = null
              })
            )
          )

        const logged = <A>(signIn: Effect.Effect<A, SignInFailed>) =>
          Effect.tapError(signIn, ({ reason, code }) =>
            Effect.logWarning("sign-in rejected by the identity provider", { reason, code })
          )

        return IdentityProvider.of({
          kind: (baseUrl) => (given !== null ? "issuer" : isLocal(baseUrl) ? "development" : null),
          development: (baseUrl) => (isLocal(baseUrl) ? startDevelopment(baseUrl) : null),
          signInUrl: Effect.fnUntraced(function* ({
            baseUrl,
            callbackPath,
            cookie,
            again
          }: SignIn & { readonly again: boolean }) {
            const config = yield* configured(baseUrl)
            const client = yield* Effect.promise(() => import("openid-client"))
            const challenge = yield* Effect.promise(() =>
              client.calculatePKCECodeChallenge(derived(cookie, "verifier"))
            )
            return client.buildAuthorizationUrl(config, {
              redirect_uri: baseUrl + callbackPath,
              scope: "openid profile email",
              state: derived(cookie, "state"),
              nonce: derived(cookie, "nonce"),
              code_challenge: challenge,
              code_challenge_method: "S256",
              ...(again && { prompt: "login" })
            }).href
          }, logged),
          completeSignIn: Effect.fnUntraced(function* ({
            baseUrl,
            callbackPath,
            cookie,
            query
          }: SignIn & { readonly query: string }) {
            const config = yield* configured(baseUrl)
            const client = yield* Effect.promise(() => import("openid-client"))
            const tokens = yield* Effect.tryPromise({
              try: () =>
                client.authorizationCodeGrant(config, new URL(`${baseUrl}${callbackPath}?${query}`), {
                  pkceCodeVerifier: derived(cookie, "verifier"),
                  expectedState: derived(cookie, "state"),
                  expectedNonce: derived(cookie, "nonce"),
                  idTokenExpected: true
                }),
              catch: refusedOrNot
            })
            const claims = tokens.claims()
            if (claims === undefined || !SUBJECT.test(claims.sub))
              return yield* new SignInFailed({ reason: "refused", code: "subject" })
            return {
              issuer: given === null ? DEVELOPMENT_ISSUER : claims.iss,
              subject: claims.sub,
              name: text(claims["name"]),
              email: text(claims["email"]),
              claims
            }
          }, logged)
        })
      })
    )
}
