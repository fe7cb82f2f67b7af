import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type ApiError, type Event, isApiError, TimeoutError, Troupe } from "#client/index.ts"
import { Transport } from "#client/transport.ts"
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
  /** A session's log after a cursor, without end: each event once and in order. Fails only with a refusal. */
  readonly follow: (
    sessionId: string,
    since: number,
    onReconnect: (error: ApiFailed, cursor: number) => void
  ) => Stream.Stream<Event, ApiFailed>
}

const DEFAULT_URL = "http://127.0.0.1:8080"
/** Timeout for answers that are not streamed. */
const TIMEOUT_MS = 30_000

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
      problem: "must be set to a runtime key (ck_...) of the app, or pass --key"
    })
  return { key, name }
})

/** fetch's error for an invalid header would quote the key. */
const checkBearer = (key: Redacted.Redacted<string>, name: string) =>
  /^[\x21-\x7e]+$/.test(Redacted.value(key))
    ? Effect.succeed(key)
    : Effect.fail(new check.BadSetting({ setting: name, problem: "must be visible ASCII characters without a space" }))

const decodeEnvelope = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ data: Schema.Unknown })))

const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

const refusedWith = ({ status, detail }: ApiError): ApiFailed => {
  const { code, message, fix, earliest_since: earliest } = detail
  const said = code === null ? message : `${code}: ${message} ${fix ?? ""}`
  return new ApiFailed({
    problem: `${status} ${printable(said)}`,
    code,
    passing: PASSING.has(status),
    ...(typeof earliest === "number" && { earliest })
  })
}

const errorCode = (error: unknown): string => {
  const cause = error instanceof Error && error.cause !== undefined ? errorCode(error.cause) : null
  if (cause !== null && cause !== "no answer") return cause
  return error instanceof Error && "code" in error ? String(error.code) : "no answer"
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

  // Commands decide themselves how often to try, and say so.
  const options = { apiKey: Redacted.value(key), baseUrl, maxRetries: 0, timeoutMs: TIMEOUT_MS }
  const transport = new Transport(options)
  const troupe = new Troupe(options)

  const failed = (error: unknown): ApiFailed => {
    if (isApiError(error)) return refusedWith(error)
    const why = error instanceof TimeoutError ? error.message : errorCode(error)
    return new ApiFailed({ problem: `${baseUrl} cannot be reached (${why})`, code: null, passing: true })
  }
  const notOurs = new ApiFailed({
    problem: `${baseUrl} is not a Troupe server`,
    code: null,
    passing: false
  })

  const ask = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
    method: string,
    path: string,
    data: S,
    body?: object,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const { text } = yield* Effect.tryPromise({
      try: (signal) => transport.send({ method, path, body, options: { signal, headers } }),
      catch: failed
    })
    return yield* decodeEnvelope(text).pipe(
      Effect.flatMap((envelope) => Schema.decodeUnknownEffect(data)(envelope.data)),
      Effect.mapError(() => notOurs)
    )
  })
  const open = Effect.fnUntraced(function* (path: string) {
    const signal = yield* scopedSignal
    return yield* Effect.tryPromise({ try: () => transport.open({ method: "GET", path }, signal), catch: failed })
  })

  return {
    get: (path, data) => ask("GET", path, data),
    post: (path, body, data, headers) => ask("POST", path, data, body, headers),
    delete: (path) => Effect.asVoid(ask("DELETE", path, Schema.Unknown)),
    patch: (path, body, data) => ask("PATCH", path, data, body),
    open,
    follow: (sessionId, since, onReconnect) =>
      Stream.fromAsyncIterable(
        troupe.sessions.follow(sessionId, {
          since,
          onReconnect: (error, cursor) => onReconnect(failed(error), cursor)
        }),
        failed
      )
  } satisfies Api as Api
})

/** The address of a server and the key of an app, from the flags or the environment. Does not send a request. */
export const serverOf = Effect.fnUntraced(function* (flags: ServerFlags) {
  const given = yield* env
  const { key, name } = yield* readKey(flags.key, given.TROUPE_KEY)
  const baseUrl = yield* readUrl(flags.url, given.TROUPE_URL, given.PUBLIC_URL)
  return { baseUrl, key: Redacted.value(yield* checkBearer(key, name)) }
})

/** The server as one app sees it, from the flags or the environment. */
export const connect = Effect.fnUntraced(function* (flags: ServerFlags) {
  const { key, name } = yield* readKey(flags.key, (yield* env).TROUPE_KEY)
  return yield* connectAs(flags.url, key, name)
})
