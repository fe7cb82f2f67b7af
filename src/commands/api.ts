import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as check from "#src/settings/checks.ts"
import { printable } from "./output.ts"

/** Options of every command that talks to a server. Missing ones come from the environment. */
export interface ServerFlags {
  readonly url?: string | undefined
  readonly key?: string | undefined
}

/**
 * No answer, or an unsuccessful one. `passing`: the same request may succeed later. `earliest`: the minimum for
 * `since`, if it was too early.
 */
export class ApiFailed extends Schema.TaggedError<ApiFailed>()("ApiFailed", {
  problem: Schema.String,
  code: Schema.NullOr(Schema.String),
  passing: Schema.Boolean,
  earliest: Schema.optionalKey(Schema.Int)
}) {
  override get message() {
    return this.problem
  }
}

/** The fields of the server's resources that commands read. */
export const Session = Schema.Struct({
  id: Schema.String,
  character_slug: Schema.String,
  status: Schema.String,
  last_cursor: Schema.Int
})
export const Character = Schema.Struct({ display_name: Schema.String })

/** A server as one app sees it. */
export interface Api {
  /** The `data` field of an answer. */
  readonly get: <S extends Schema.ConstraintDecoder<unknown>>(
    path: string,
    data: S
  ) => Effect.Effect<S["Type"], ApiFailed>
  readonly post: <S extends Schema.ConstraintDecoder<unknown>>(
    path: string,
    body: object,
    data: S,
    headers?: Readonly<Record<string, string>>
  ) => Effect.Effect<S["Type"], ApiFailed>
  readonly delete: (path: string) => Effect.Effect<void, ApiFailed>
  readonly patch: <S extends Schema.ConstraintDecoder<unknown>>(
    path: string,
    body: object,
    data: S
  ) => Effect.Effect<S["Type"], ApiFailed>
  /** A response while it streams in, for as long as the scope is open. */
  readonly open: (path: string) => Effect.Effect<Response, ApiFailed, Scope.Scope>
}

const DEFAULT_URL = "http://127.0.0.1:8080"
/** Timeout for answers that are not streamed. */
const TIMEOUT = "30 seconds"

const env = Config.all({
  TROUPE_URL: Config.option(Config.String("TROUPE_URL")),
  PUBLIC_URL: Config.option(Config.String("PUBLIC_URL")),
  TROUPE_KEY: Config.option(Config.Redacted("TROUPE_KEY"))
})

const readUrl = Effect.fnUntraced(function* (
  flag: string | undefined,
  troupe: Option.Option<string>,
  server: Option.Option<string>
) {
  if (flag !== undefined) return yield* check.url("--url", flag, ["http:", "https:"])
  return (
    (yield* check.optionalUrl("TROUPE_URL", troupe)) ?? (yield* check.optionalUrl("PUBLIC_URL", server)) ?? DEFAULT_URL
  )
})

const readKey = Effect.fnUntraced(function* (
  flag: string | undefined,
  given: Option.Option<Redacted.Redacted<string>>
) {
  const key = flag === undefined ? check.givenSecret(given) : Redacted.make(flag)
  const name = flag === undefined ? "TROUPE_KEY" : "--key"
  if (key === null)
    return yield* new check.BadSetting({
      setting: name,
      problem: "must be set, or --key given: a runtime key (ck_...) of the app"
    })
  return { key, name }
})

/** fetch's error for an invalid header would quote the key. */
const checkBearer = (key: Redacted.Redacted<string>, name: string) =>
  /^[\x21-\x7e]+$/.test(Redacted.value(key))
    ? Effect.succeed(key)
    : Effect.fail(new check.BadSetting({ setting: name, problem: "must be visible ASCII characters without a space" }))

const decodeEnvelope = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ data: Schema.Unknown })))
const Refusal = Schema.fromJsonString(
  Schema.Struct({
    detail: Schema.Union([
      Schema.String,
      Schema.Struct({
        code: Schema.String,
        message: Schema.String,
        fix: Schema.String,
        earliest_since: Schema.optionalKey(Schema.Int)
      })
    ])
  })
)
const decodeRefusal = Schema.decodeUnknownEffect(Refusal)

const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

const refusedWith = (status: number, text: string) =>
  decodeRefusal(text).pipe(
    Effect.map(({ detail }) => {
      if (typeof detail === "string") return { code: null, said: detail }
      const { code, message, fix, earliest_since } = detail
      return {
        code,
        said: `${code}: ${message} ${fix}`,
        ...(earliest_since !== undefined && { earliest: earliest_since })
      }
    }),
    Effect.orElseSucceed(() => ({ code: null, said: "the answer is not from a Troupe server; check --url" })),
    Effect.flatMap(({ said, ...rest }) =>
      Effect.fail(new ApiFailed({ problem: `${status} ${printable(said)}`, passing: PASSING.has(status), ...rest }))
    )
  )

const errorCode = (error: unknown): string => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return cause instanceof Error && "code" in cause ? String(cause.code) : "no answer"
}

/**
 * Aborted with the scope, not with the effect that fetches. Otherwise a response that arrived while its reader was
 * being interrupted would keep the process alive.
 */
const scopedSignal = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  (controller) => Effect.sync(() => controller.abort())
).pipe(Effect.map(({ signal }) => signal))

/** A server under this bearer, which comes from the setting or option of this name. Does not send a request yet. */
export const connectAs = Effect.fnUntraced(function* (
  url: string | undefined,
  bearer: Redacted.Redacted<string>,
  name: string
) {
  const given = yield* env
  const baseUrl = yield* readUrl(url, given.TROUPE_URL, given.PUBLIC_URL)
  const key = yield* checkBearer(bearer, name)

  const unreachable = (why: string) =>
    new ApiFailed({ problem: `${baseUrl} cannot be reached (${why})`, code: null, passing: true })
  const notOurs = new ApiFailed({
    problem: `${baseUrl} is not a Troupe server`,
    code: null,
    passing: false
  })

  const reach = <A>(attempt: () => Promise<A>) =>
    Effect.tryPromise({ try: attempt, catch: (error) => unreachable(errorCode(error)) })

  const open = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
    const signal = yield* scopedSignal
    // A redirect would turn a POST into a GET, and send the key to another address.
    const response = yield* reach(() =>
      fetch(baseUrl + path, {
        ...init,
        redirect: "manual",
        signal,
        headers: { ...init.headers, authorization: `Bearer ${Redacted.value(key)}` }
      })
    )
    if (response.ok) return response
    return yield* refusedWith(response.status, yield* reach(() => response.text()))
  })

  const ask = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
    path: string,
    data: S,
    init?: RequestInit
  ) {
    const text = yield* open(path, init).pipe(
      Effect.flatMap((response) => reach(() => response.text())),
      Effect.scoped,
      Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => Effect.fail(unreachable(`no answer within ${TIMEOUT}`)) })
    )
    return yield* decodeEnvelope(text).pipe(
      Effect.flatMap((envelope) => Schema.decodeUnknownEffect(data)(envelope.data)),
      Effect.mapError(() => notOurs)
    )
  })

  return {
    get: (path, data) => ask(path, data),
    post: (path, body, data, headers = {}) =>
      ask(path, data, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body)
      }),
    delete: (path) => Effect.asVoid(ask(path, Schema.Unknown, { method: "DELETE" })),
    patch: (path, body, data) =>
      ask(path, data, { method: "PATCH", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    open: (path) => open(path)
  } satisfies Api as Api
})

/** The server as one app sees it, from the flags or the environment. */
export const connect = Effect.fnUntraced(function* (flags: ServerFlags) {
  const { key, name } = yield* readKey(flags.key, (yield* env).TROUPE_KEY)
  return yield* connectAs(flags.url, key, name)
})
