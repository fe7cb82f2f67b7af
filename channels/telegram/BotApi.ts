import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ApiClientOptions, RawApi } from "grammy"
import { type FailureKind, kindOf, kindOfSilence } from "./failures.ts"
import { isResultOf } from "./results.ts"

/**
 * A call that has no result. It holds nothing of the request: what grammY throws may carry the address, and with it the
 * token.
 */
export class BotApiError extends Schema.TaggedError<BotApiError>()("BotApiError", {
  method: Schema.String,
  kind: Schema.String,
  /** HTTP status of a refusal; null where no answer came. */
  status: Schema.NullOr(Schema.Int),
  /** Telegram's words, or the name of the trouble. */
  description: Schema.String,
  retryAfterSeconds: Schema.NullOr(Schema.Number),
  migrateTo: Schema.NullOr(Schema.Number)
}) {
  declare readonly kind: FailureKind
  override get message() {
    return `${this.method}: ${this.kind}${this.status === null ? "" : ` (${this.status})`}: ${this.description}`
  }
}

type Method = keyof RawApi
type Payload<M extends Method> = Parameters<RawApi[M]>[0]
type Result<M extends Method> = Awaited<ReturnType<RawApi[M]>>

export type Fetched = Result<"getUpdates">[number]
export type WebhookInfo = Result<"getWebhookInfo">

/** For a call, from the dial to the answer. */
const TIMEOUT_SECONDS = 20
/** Of a description that is kept. */
const MOST_CHARACTERS = 300
/** A pause that is asked for: a message that has waited for longer is of no use. */
const LONGEST_PAUSE_SECONDS = 86_400

/** What looks like a bot's token, wherever it comes from. */
const TOKEN = /(?<!\d)\d{3,}:[A-Za-z0-9_-]{20,}/g

const codeOf = (error: unknown): string | null => {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string") return at.code
  }
  return null
}

/** Loaded with the first call: it would take a fifth of a second from every start. */
const load = () => import("grammy")
type Grammy = Awaited<ReturnType<typeof load>>

/** A number, be it written as text. */
const numberOf = (value: unknown): number | null => {
  const number = typeof value === "string" && value !== "" ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) ? number : null
}

const pauseOf = (asked: unknown): number | null => {
  const seconds = numberOf(asked)
  return seconds === null ? null : Math.min(Math.max(Math.ceil(seconds), 0), LONGEST_PAUSE_SECONDS)
}

const unanswered = (method: string, code: string | null) =>
  new BotApiError({
    method,
    kind: kindOfSilence({ code }),
    status: null,
    description: code ?? "no answer",
    retryAfterSeconds: null,
    migrateTo: null
  })

/** What is thrown has Telegram's words in it as they came: nothing of them is known to be what it should. */
const toBotApiError = ({ GrammyError, HttpError }: Grammy, method: string, thrown: unknown): BotApiError => {
  if (!(thrown instanceof GrammyError))
    return unanswered(method, codeOf(thrown instanceof HttpError ? thrown.error : thrown))
  const status = numberOf(thrown.error_code)
  // It is no refusal of the Bot API's: nobody knows what came of the call.
  if (status === null || !Number.isSafeInteger(status)) return unanswered(method, null)
  const description = typeof thrown.description === "string" ? thrown.description : ""
  const [retryAfterSeconds, movedTo] = [
    pauseOf(thrown.parameters.retry_after),
    numberOf(thrown.parameters.migrate_to_chat_id)
  ]
  const migrateTo = Number.isSafeInteger(movedTo) ? movedTo : null
  return new BotApiError({
    method,
    kind: kindOf({ status, description, retryAfterSeconds, migrateTo }),
    status,
    description: description.replaceAll(TOKEN, "[token]").slice(0, MOST_CHARACTERS),
    retryAfterSeconds,
    migrateTo
  })
}

/**
 * grammY's own fetch puts the address into its errors; Node's does not, but wants a signal and options of its own kind.
 */
const fetchByNode = ((url: URL | string, init: RequestInit & { agent?: unknown; compress?: unknown }) => {
  const { agent: _, compress: __, signal, ...given } = init
  // What is uploaded is a stream, which Node sends only when told that no answer is awaited meanwhile.
  const rest =
    typeof given.body === "string" || given.body === undefined ? given : { ...given, duplex: "half" as const }
  const aborter = new AbortController()
  if (signal?.aborted === true) aborter.abort()
  else signal?.addEventListener("abort", () => aborter.abort(), { once: true })
  return fetch(url, { ...rest, redirect: "error", signal: aborter.signal })
}) as unknown as NonNullable<ApiClientOptions["fetch"]>

/**
 * Telegram's Bot API, at the one address that the operator set. It retries nothing and keeps nothing: who calls
 * decides.
 */
export class BotApi extends Context.Service<
  BotApi,
  {
    readonly call: <M extends Method>(
      token: Redacted.Redacted<string>,
      method: M,
      payload: Payload<M>,
      timeoutSeconds?: number
    ) => Effect.Effect<Result<M>, BotApiError>
    /** A picture, uploaded. */
    readonly sendPhoto: (
      token: Redacted.Redacted<string>,
      payload: Omit<Payload<"sendPhoto">, "photo">,
      photo: Uint8Array
    ) => Effect.Effect<Result<"sendPhoto">, BotApiError>
    /** The bot's own picture, a JPEG. */
    readonly setProfilePhoto: (token: Redacted.Redacted<string>, photo: Uint8Array) => Effect.Effect<void, BotApiError>
    /**
     * A file that somebody has sent the bot. One that is larger than that is not fetched, whatever size it was said to
     * have.
     */
    readonly download: (
      token: Redacted.Redacted<string>,
      fileId: string,
      mostBytes: number
    ) => Effect.Effect<Uint8Array, BotApiError>
  }
>()("channels/telegram/BotApi") {
  static readonly layer = (options: { readonly apiRoot: string }) =>
    Layer.sync(BotApi, () => {
      const call: BotApi["Service"]["call"] = (token, method, payload, timeoutSeconds = TIMEOUT_SECONDS) =>
        Effect.tryPromise({
          try: async (signal) => {
            const grammy = await load()
            const api = new grammy.Api(Redacted.value(token), {
              apiRoot: options.apiRoot,
              fetch: fetchByNode,
              timeoutSeconds
            })
            const call = api.raw[method] as (payload: unknown, signal?: unknown) => Promise<never>
            // The methods without parameters take the signal first; they are short enough to go without.
            const result = await (NO_PARAMETERS.has(method) ? call(undefined) : call(payload, signal)).catch(
              (thrown: unknown) => {
                throw toBotApiError(grammy, method, thrown)
              }
            )
            if (!isResultOf(method, result)) throw unanswered(method, null)
            return result
          },
          catch: (error) => error as BotApiError
        })

      const download: BotApi["Service"]["download"] = Effect.fnUntraced(function* (token, fileId, mostBytes) {
        const { file_path: path = "" } = yield* call(token, "getFile", { file_id: fileId })
        if (!FILE_PATH.test(path)) return yield* noFile("the file has no usable path")
        // The address holds the token: nothing of what goes wrong is passed on.
        return yield* Effect.tryPromise({
          try: (signal) =>
            fetch(`${options.apiRoot}/file/bot${Redacted.value(token)}/${path}`, { redirect: "error", signal }).then(
              (response) => readBytes(response, mostBytes)
            ),
          catch: (thrown) => noFile(codeOf(thrown) ?? "no answer")
        }).pipe(
          Effect.timeoutOrElse({ duration: `${TIMEOUT_SECONDS} seconds`, orElse: () => noFile("no answer in time") }),
          Effect.flatMap((bytes) =>
            bytes === null ? noFile("the file is not there, or too large") : Effect.succeed(bytes)
          )
        )
      })

      return BotApi.of({
        call,
        sendPhoto: (token, payload, photo) =>
          Effect.flatMap(Effect.promise(load), ({ InputFile }) =>
            call(token, "sendPhoto", { ...payload, photo: new InputFile(photo, "picture") })
          ),
        setProfilePhoto: (token, photo) =>
          Effect.flatMap(Effect.promise(load), ({ InputFile }) =>
            call(token, "setMyProfilePhoto", { photo: { type: "static", photo: new InputFile(photo, "picture.jpg") } })
          ).pipe(Effect.asVoid),
        download
      })
    })
}

/** As Telegram names files; nothing that leads anywhere else. */
const FILE_PATH = /^(?!.*\.\.)[\w.-]+(?:\/[\w.-]+)*$/

const noFile = (description: string) =>
  new BotApiError({
    method: "file",
    kind: "rejected",
    status: null,
    description,
    retryAfterSeconds: null,
    migrateTo: null
  })

/** The body, or null where it is no file or longer than that. */
const readBytes = async (response: Response, most: number): Promise<Uint8Array | null> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  if (!response.ok || response.body === null) return null
  for await (const chunk of response.body) {
    length += chunk.length
    if (length > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const NO_PARAMETERS: ReadonlySet<string> = new Set(["getMe", "getWebhookInfo", "logOut", "close"])
