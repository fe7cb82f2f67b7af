import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ApiClientOptions, RawApi } from "grammy"
import type { Intent, NotIntended } from "../Channel.ts"
import { boundedFetch } from "../outbound/boundedFetch.ts"
import { type FailureKind, kindOf, kindOfSilence } from "./failures.ts"
import { type HoldBody, holdRequest, type RequestBody } from "./holdRequest.ts"
import { isResultOf } from "./results.ts"

/**
 * A call without a result. Contains nothing of the request: grammY's errors may contain the URL, and with it the token.
 */
export class BotApiError extends Schema.TaggedError<BotApiError>()("BotApiError", {
  method: Schema.String,
  kind: Schema.String,
  /** HTTP status of a refusal. Null if there was no answer. */
  status: Schema.NullOr(Schema.Int),
  /** Telegram's description, or the code of the error. */
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
export type MenuLanguage = NonNullable<Payload<"setMyCommands">["language_code"]>

/** Timeout of a call, including the connection. */
const TIMEOUT_SECONDS = 20
/** Maximum stored length of a description. */
const MAX_CHARACTERS = 300
/** Maximum delay that Telegram may request. A message that has waited longer is useless. */
const LONGEST_PAUSE_SECONDS = 86_400

/** Anything that looks like a bot token, wherever it comes from. */
const TOKEN = /(?<!\d)\d{3,}:[A-Za-z0-9_-]{20,}/g

const codeOf = (error: unknown): string | null => {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string") return at.code
  }
  return null
}

/** Loaded with the first call, because loading takes a fifth of a second. */
const load = () => import("grammy")
type Grammy = Awaited<ReturnType<typeof load>>

/** A number, possibly as text. */
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

/** What grammY throws contains Telegram's raw answer, whose fields are not validated. */
const toBotApiError = ({ GrammyError, HttpError }: Grammy, method: string, thrown: unknown): BotApiError => {
  if (!(thrown instanceof GrammyError))
    return unanswered(method, codeOf(thrown instanceof HttpError ? thrown.error : thrown))
  const status = numberOf(thrown.error_code)
  // The answer is not from the Bot API, so the result of the call is unknown.
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
    description: description.replaceAll(TOKEN, "[token]").slice(0, MAX_CHARACTERS),
    retryAfterSeconds,
    migrateTo
  })
}

/** Many times what Telegram answers. The longest answers are updates, of which one can be fetched at a time. */
const MAX_ANSWER_BYTES = 16 * 1_048_576
const fetchAnswer = boundedFetch(MAX_ANSWER_BYTES)

/** What grammY passes to its fetch. */
interface Init extends Omit<RequestInit, "body" | "headers"> {
  readonly agent?: unknown
  readonly compress?: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly body: RequestBody
}

/** Node only sends streams with the option `duplex`, which means that no answer is read in the meantime. */
const bodyOf = (body: RequestBody, headers: Init["headers"], hold: HoldBody | undefined) => {
  if (hold === undefined) return typeof body === "string" ? { headers, body } : { headers, body, duplex: "half" }
  // Node finds out the length of a text by itself, but not of one that is held back.
  const length = typeof body === "string" ? { "content-length": String(Buffer.byteLength(body)) } : {}
  return { headers: { ...headers, ...length }, body: hold(body), duplex: "half" }
}

/**
 * grammY's own fetch includes the URL in its errors. Node's does not, but needs its own kind of signal and options.
 * With `redirect: "error"`, Node asks for a body when it can write it. Otherwise it would read ahead, for a copy.
 * Without credentials, it never repeats a request after a 401, and so needs no second copy of a stream.
 */
const fetchByNode = (hold?: HoldBody) =>
  ((url: URL | string, init: Init) => {
    const { agent: _, compress: __, signal, headers, body, ...given } = init
    const aborter = new AbortController()
    if (signal?.aborted === true) aborter.abort()
    else signal?.addEventListener("abort", () => aborter.abort(), { once: true })
    return fetchAnswer(url, {
      ...given,
      ...bodyOf(body, headers, hold),
      redirect: "error",
      credentials: "omit",
      signal: aborter.signal
    } as RequestInit)
  }) as unknown as NonNullable<ApiClientOptions["fetch"]>

/** What the failure of a call means whose body was not written. */
const asUnsent = (error: BotApiError): BotApiError => {
  const { method, kind, status, description, retryAfterSeconds, migrateTo } = error
  return kind === "ambiguous"
    ? new BotApiError({ method, kind: "not_sent", status, description, retryAfterSeconds, migrateTo })
    : error
}

/**
 * Telegram's Bot API, at the URL that the operator configured. It does not retry and stores nothing; callers decide.
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
    /** A text. The intent is recorded immediately before the request is written. */
    readonly sendMessage: (
      token: Redacted.Redacted<string>,
      payload: Payload<"sendMessage">,
      intent: Intent
    ) => Effect.Effect<Result<"sendMessage">, BotApiError | NotIntended>
    /** The same for a picture, which is uploaded. */
    readonly sendPhoto: (
      token: Redacted.Redacted<string>,
      payload: Omit<Payload<"sendPhoto">, "photo">,
      photo: Uint8Array,
      intent: Intent
    ) => Effect.Effect<Result<"sendPhoto">, BotApiError | NotIntended>
    /** The bot's profile picture, as JPEG. */
    readonly setProfilePhoto: (token: Redacted.Redacted<string>, photo: Uint8Array) => Effect.Effect<void, BotApiError>
    /**
     * A file that a person has sent to the bot. A file over the size limit is not downloaded, whatever size was
     * announced.
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
      const request = <M extends Method>(
        token: Redacted.Redacted<string>,
        method: M,
        payload: Payload<M>,
        timeoutSeconds: number,
        hold?: HoldBody
      ): Effect.Effect<Result<M>, BotApiError> =>
        Effect.tryPromise({
          try: async (signal) => {
            const grammy = await load()
            const api = new grammy.Api(Redacted.value(token), {
              apiRoot: options.apiRoot,
              fetch: fetchByNode(hold),
              timeoutSeconds
            })
            const call = api.raw[method] as (payload: unknown, signal?: unknown) => Promise<never>
            // Methods without parameters take the signal as the first argument. They are fast, so they run without one.
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
      const call: BotApi["Service"]["call"] = (token, method, payload, timeoutSeconds = TIMEOUT_SECONDS) =>
        request(token, method, payload, timeoutSeconds)
      const send = <M extends "sendMessage" | "sendPhoto">(
        token: Redacted.Redacted<string>,
        method: M,
        payload: Payload<M>,
        intent: Intent
      ) => holdRequest(intent, (hold) => request(token, method, payload, TIMEOUT_SECONDS, hold), asUnsent)

      const download: BotApi["Service"]["download"] = Effect.fnUntraced(function* (token, fileId, mostBytes) {
        const { file_path: path = "" } = yield* call(token, "getFile", { file_id: fileId })
        if (!FILE_PATH.test(path)) return yield* noFile("the file has no usable path")
        // The URL contains the token, so no error details are passed on.
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
        sendMessage: (token, payload, intent) => send(token, "sendMessage", payload, intent),
        sendPhoto: (token, payload, photo, intent) =>
          Effect.flatMap(Effect.promise(load), ({ InputFile }) =>
            send(token, "sendPhoto", { ...payload, photo: new InputFile(photo, "picture") }, intent)
          ),
        setProfilePhoto: (token, photo) =>
          Effect.flatMap(Effect.promise(load), ({ InputFile }) =>
            call(token, "setMyProfilePhoto", { photo: { type: "static", photo: new InputFile(photo, "picture.jpg") } })
          ).pipe(Effect.asVoid),
        download
      })
    })
}

/** A file path as Telegram writes it, which cannot lead elsewhere. */
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

/** The body. Null if the file does not exist or is larger than that. */
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
