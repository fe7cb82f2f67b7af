import * as Data from "effect/Data"
import type { Standing } from "#src/db/tenancy/RateLimits.ts"

/** An answer that is not a success, in one of the contract's two forms (7.1). */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly status: number
  /** Null: the plain-string form, for the generic 401 and 403 and the infrastructure 503s. */
  readonly code: string | null
  readonly message: string
  /** What the caller can do about it. Unused in the plain-string form. */
  readonly fix: string
  /** What else the caller's program needs in order to do it. */
  readonly more?: object
  /** For Retry-After, where it is known. */
  readonly retryAfterSeconds?: number
}> {
  /** The same error about something in particular. */
  saying(message: string, fix: string = this.fix, more: object = {}): ApiError {
    return new ApiError({ status: this.status, code: this.code, message, fix, more })
  }

  /** The same error, with when to come back. */
  after(seconds: number, fix: string = this.fix): ApiError {
    return new ApiError({
      status: this.status,
      code: this.code,
      message: this.message,
      fix,
      more: this.more ?? {},
      retryAfterSeconds: seconds
    })
  }
}

export interface CatalogueEntry {
  readonly status: number
  /** Null: the plain-string form. */
  readonly code: string | null
  readonly message: string
  readonly fix: string
  /** Whether the same request may do better later (contract 7.3). */
  readonly retryable: boolean
}

/** Whether it is passing, by its status; what is not says so. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503])

const entries: Array<CatalogueEntry> = []
/** Every error that there is: what the OpenAPI document, the docs and llms.txt say of errors is made of it. */
export const catalogue: ReadonlyArray<CatalogueEntry> = entries

const structured = (
  status: number,
  code: string,
  message: string,
  fix: string,
  { retryable = PASSING.has(status) }: { readonly retryable?: boolean } = {}
) => {
  if (!entries.some((entry) => entry.code === code)) entries.push({ status, code, message, fix, retryable })
  return new ApiError({ status, code, message, fix })
}
const plain = (status: number, message: string) => {
  entries.push({ status, code: null, message, fix: "", retryable: PASSING.has(status) })
  return new ApiError({ status, code: null, message, fix: "" })
}

/**
 * The body of an error answer. The request id is the only part of it that varies between two requests for the same
 * reason.
 */
export const errorBody = (error: ApiError, requestId: string): object =>
  error.code === null
    ? { detail: error.message }
    : { detail: { code: error.code, message: error.message, fix: error.fix, ...error.more, request_id: requestId } }

/** An error that was made on another thread, by its fields. */
export const refusedElsewhere = ({
  status,
  code,
  message,
  fix
}: Pick<ApiError, "status" | "code" | "message" | "fix">) => new ApiError({ status, code, message, fix })

export const missingBearer = plain(401, "Authentication required: send `Authorization: Bearer ck_...`.")
export const invalidKey = plain(403, "This API key is invalid or has been revoked.")
export const accountTokenUsed = structured(
  401,
  "account_token_used_as_runtime_key",
  "An account token (lat_...) is not a runtime key.",
  "Use the account token on /v1/account/* only, to create a runtime key (ck_...), and send that key here."
)
export const idpKeyUsed = structured(
  401,
  "idp_account_api_key_not_service_key",
  "An identity provider's key (ak_...) is not a credential of this service.",
  "Send a runtime key of this service (ck_...)."
)
export const idpKeyUsedAsAccountToken = idpKeyUsed.saying(
  idpKeyUsed.message,
  "Send an account token of this service (lat_...): POST /v1/account/device/start."
)

export const apiKeyExpired = structured(
  403,
  "api_key_expired",
  "This API key has expired.",
  "Use another key of the app, or create one. A demo key lasts for a day: POST /v1/demo/sandbox-key gives " +
    "another, with an app of its own."
)

const suspended = structured(
  403,
  "app_suspended",
  "The operator of this server has suspended this app.",
  "Contact the operator of this server. Nothing is lost: conversations go on where they were as soon as the app " +
    "is resumed."
)
/** `reason`: the operator's words, where there are any. */
export const appSuspended = (reason: string | null) =>
  reason === null ? suspended : suspended.saying(`The operator of this server has suspended this app: ${reason}`)

const ownApp = "Create an app and a runtime key of your own: GET /v1/llms.txt says how."
const demoQuota = structured(
  403,
  "demo_quota_exceeded",
  "This demo key has used up what it may create or send.",
  ownApp
)
export const demoQuotaExceeded = (what: "characters" | "sessions" | "user messages") =>
  demoQuota.saying(`This demo key has used up its ${what}.`)
export const demoKeySurfaceDisabled = structured(
  403,
  "demo_key_surface_disabled",
  "A demo key may not do this.",
  ownApp
)
const tooManyDemoKeys = structured(
  429,
  "demo_sandbox_rate_limited",
  "Too many demo keys were fetched from here within an hour.",
  "Use the key that you were given, or try again after the time in Retry-After."
)
export const demoSandboxRateLimited = (seconds: number) =>
  tooManyDemoKeys.after(
    seconds,
    `Use the key that you were given, or try again in ` +
      `${seconds < 120 ? `${seconds} seconds` : `about ${Math.ceil(seconds / 60)} minutes`}.`
  )
export const demoSandboxDisabled = structured(
  503,
  "demo_sandbox_disabled",
  "This server gives out no demo keys.",
  "Use a runtime key of an app of your own: GET /v1/llms.txt says how.",
  { retryable: false }
)
export const demoInputTooLarge = structured(
  413,
  "demo_input_too_large",
  "A message under a demo key has at most 2000 characters.",
  "Send a shorter message, or use a runtime key of an app of your own."
)

export const missingAccountToken = plain(401, "Authentication required: send `Authorization: Bearer lat_...`.")
export const invalidAccountToken = plain(403, "This account token is invalid, has expired or has been revoked.")
export const runtimeKeyUsed = plain(403, "A runtime key (ck_...) is not an account token: send one (lat_...) here.")
const missingScope = structured(
  403,
  "scope_missing",
  "The account token lacks a scope.",
  "Get a token with this scope by the device flow: POST /v1/account/device/start."
)
export const scopeMissing = (scope: string) => missingScope.saying(`The account token lacks the scope ${scope}.`)

export const databaseUnreachable = plain(503, "The database cannot be reached right now. Try again shortly.")
export const draining = plain(503, "This server is stopping. Try again shortly.")
export const internalError = structured(
  500,
  "internal_error",
  "Something went wrong on our side.",
  "Try again with backoff. If it stays, report the request id."
)

const invalid = structured(
  422,
  "validation_error",
  "Something in the request is not as it should be; the message quotes where and what.",
  "Correct the quoted field and send the request again."
)
export const validationError = (message: string, fix?: string) => invalid.saying(message, fix)
export const malformedRequest = structured(
  400,
  "malformed_request",
  "This is not valid HTTP/1.1.",
  "Send the request with an HTTP client, and look at what stands between it and this server."
)
export const requestTimeout = structured(
  408,
  "request_timeout",
  "The request did not arrive in time.",
  "Send it again, whole within 30 seconds."
)
export const headersTooLarge = structured(
  431,
  "headers_too_large",
  "The request line and headers are larger than 16 KiB together.",
  "Shorten the URL or send fewer headers."
)
const unsupportedType = structured(
  415,
  "unsupported_media_type",
  "The request body is not JSON.",
  "Send the body as application/json, uncompressed."
)
const tooLarge = structured(413, "payload_too_large", "The request body is too large.", "Send less at once.")
export const demoBodyTooLarge = (limitBytes: number) =>
  tooLarge.saying(
    `A request under a demo key has a body of at most ${limitBytes} bytes.`,
    "Send less at once, or use a runtime key of an app of your own."
  )
export const payloadTooLarge = (limitBytes: number) =>
  tooLarge.saying(`The request body is larger than ${limitBytes} bytes.`)
export const tooManyValues = (most: number) => tooLarge.saying(`The request body has more than ${most} values.`)
export const encodingUnsupported = (encoding: string) =>
  unsupportedType.saying(
    `The request body has Content-Encoding: ${encoding}. Compressed bodies are not read.`,
    "Send the body uncompressed, without a Content-Encoding header."
  )
export const charsetUnsupported = (charset: string) =>
  unsupportedType.saying(`The request body has the charset ${charset}.`, "Send the body in UTF-8.")
export const mediaTypeUnsupported = (type: string, accepted: string) =>
  unsupportedType.saying(`The request body has Content-Type: ${type}.`, `Send the body as ${accepted}.`)
const wrongMethod = structured(
  405,
  "method_not_allowed",
  "This path does not answer to this method.",
  "Use a method that the Allow header names. See /docs or /openapi.json."
)
export const methodNotAllowed = (method: string, allowed: ReadonlyArray<string>) =>
  wrongMethod.saying(`This path does not answer to ${method}, but to ${allowed.join(", ")}.`)
export const routeNotFound = structured(
  404,
  "route_not_found",
  "There is no such route.",
  "See /docs or /openapi.json for the routes of this server."
)

/** One constant answer per kind, the same for what is not there and for what belongs to another app. */
export const notFound = {
  character: structured(
    404,
    "character_not_found",
    "There is no such character in this app.",
    "List the app's characters with GET /v1/characters."
  ),
  session: structured(
    404,
    "session_not_found",
    "There is no such session in this app.",
    "List the app's sessions with GET /v1/sessions."
  ),
  import: structured(
    404,
    "import_not_found",
    "There is no such import in this app.",
    "List the app's imports with GET /v1/imports."
  ),
  npc: structured(
    404,
    "npc_not_found",
    "This character knows no such NPC.",
    "List them with GET /v1/characters/{slug}/npcs."
  ),
  edge: structured(
    404,
    "edge_not_found",
    "There is no such edge in this character's graph.",
    "List them with GET /v1/characters/{slug}/graph."
  ),
  storyline: structured(
    404,
    "storyline_not_found",
    "This character has no such storyline.",
    "List them with GET /v1/characters/{slug}/storylines."
  ),
  session_storyline: structured(
    404,
    "storyline_not_found",
    "This character has no such storyline.",
    "List them with GET /v1/characters/{slug}/storylines."
  ),
  arc_influence: structured(
    404,
    "arc_influence_not_found",
    "This character has no such arc influence.",
    "List them with GET /v1/characters/{slug}/arc-influences."
  ),
  lore_entry: structured(
    404,
    "lore_entry_not_found",
    "This character has no such lore entry.",
    "List them with GET /v1/characters/{slug}/lore."
  ),
  memory: structured(
    404,
    "memory_not_found",
    "There is no such memory in this session.",
    "List the session's memories with GET /v1/sessions/{session_id}/memories."
  ),
  scheduled_message: structured(
    404,
    "scheduled_message_not_found",
    "There is no such scheduled message in this session.",
    "List them with GET /v1/sessions/{session_id}/proactive/schedule."
  ),
  open_loop: structured(
    404,
    "open_loop_not_found",
    "There is no such open loop in this session.",
    "List them with GET /v1/sessions/{session_id}/open-loops."
  ),
  asset: structured(
    404,
    "asset_not_found",
    "There is no such picture of this character.",
    "List the character's pictures with GET /v1/characters/{slug}/assets."
  ),
  image: structured(
    404,
    "image_not_found",
    "There is no such image in this app.",
    "List the app's images with GET /v1/images."
  ),
  channel: structured(
    404,
    "channel_not_found",
    "There is no such channel here.",
    "List the channels with GET on the path without the channel's id."
  ),
  bot: structured(
    404,
    "bot_not_found",
    "There is no such Telegram bot in this app.",
    "List the app's bots with GET /v1/telegram/bots."
  ),
  batch: structured(
    404,
    "batch_not_found",
    "There is no such batch in this app.",
    "A batch's id is in the answer that created it."
  ),
  evidence: structured(
    404,
    "evidence_not_found",
    "There is no such evidence of this character.",
    "List it with GET /v1/characters/{slug}/evidence."
  ),
  research: structured(
    404,
    "research_not_found",
    "There is no such research for this character.",
    "List it with GET /v1/characters/{slug}/research."
  ),
  finding: structured(
    404,
    "finding_not_found",
    "This research has no such finding.",
    "List them with GET /v1/characters/{slug}/research/{research_id}."
  ),
  app: structured(
    404,
    "app_not_found",
    "There is no such app for this key.",
    "GET /v1/me says which app the key belongs to."
  ),
  end_user: structured(
    404,
    "end_user_not_found",
    "There is no such end-user in this app.",
    "List the app's end-users with GET /v1/end-users."
  ),
  account_end_user: structured(
    404,
    "end_user_not_found",
    "There is no such end-user in this app.",
    "An end-user is there from their first session on."
  ),
  account_app: structured(
    404,
    "app_not_found",
    "There is no such app in this account.",
    "List the account's apps with GET /v1/account/apps."
  ),
  eval_suite: structured(
    404,
    "eval_suite_not_found",
    "There is no such suite in this app.",
    "List the app's suites with GET /v1/evals/suites."
  ),
  eval_run: structured(
    404,
    "eval_run_not_found",
    "There is no such run of evals in this app.",
    "List them with GET /v1/evals/runs."
  ),
  api_key: structured(
    404,
    "api_key_not_found",
    "There is no such key in this app.",
    "List the app's keys with GET /v1/account/apps/{app_id}/api-keys."
  )
} as const
export type Kind = keyof typeof notFound

export const tokenNotFound = structured(
  404,
  "token_not_found",
  "There is no such token in this account.",
  "List the account's tokens with GET /v1/account."
)

const tooManyApps = structured(
  409,
  "app_limit_reached",
  "The account has as many apps as it may have.",
  "Use one of the apps that are there: GET /v1/account/apps."
)
export const appLimitReached = (most: number) =>
  tooManyApps.saying(`The account has ${most} apps, which is as many as it may have.`)
const tooManyKeys = structured(
  409,
  "api_key_limit_reached",
  "The app has as many keys as it may have.",
  "Revoke one that is not used any more, or rotate one without grace_seconds."
)
export const apiKeyLimitReached = (most: number) =>
  tooManyKeys.saying(`The app has ${most} keys that can be used, which is as many as it may have.`)
export const apiKeyEnded = structured(
  409,
  "api_key_ended",
  "This key is revoked, expired or rotated already.",
  "Create another key with POST /v1/account/apps/{app_id}/api-keys."
)

export const erasureNotFound = structured(
  404,
  "erasure_not_found",
  "There is no such erasure in this app.",
  "The id of an erasure is in the answer to DELETE /v1/end-users/{external_user_ref}."
)

export const deliveryNotFound = structured(
  404,
  "delivery_not_found",
  "There is no such delivery in this session.",
  "List the deliveries with GET /v1/sessions/{session_id}/delivery."
)

export const snapshotNotFound = structured(
  404,
  "snapshot_not_found",
  "This session has no snapshot yet.",
  "One is taken every ten turns, whenever the two come closer or drift apart, and when the character leaves."
)

export const versionNotFound = structured(
  404,
  "version_not_found",
  "There is no such version of this character.",
  "List them with GET /v1/characters/{slug}/versions."
)

const expiredCursor = structured(
  410,
  "cursor_expired",
  "Events up to this cursor are no longer kept.",
  "Read on from earliest_since."
)
export const cursorExpired = (keptAfter: number) =>
  expiredCursor.saying(
    `Events up to cursor ${keptAfter} are no longer kept.`,
    `Read on from the earliest that is: since=${keptAfter}. What a session is now is in GET ` +
      `/v1/sessions/{session_id}/state.`,
    { earliest_since: keptAfter }
  )

const takenSlug = structured(
  409,
  "slug_taken",
  "The slug is taken in this app.",
  "Choose another slug, or PATCH the character that has it."
)
export const slugTaken = (slug: string, archivedAt: number | null) =>
  archivedAt === null
    ? takenSlug.saying(`The slug ${slug} is taken in this app.`)
    : takenSlug.saying(
        `The slug ${slug} belongs to an archived character of this app.`,
        `Choose another slug, or take the archived character back with POST ` +
          `/v1/characters/${slug}/versions/${archivedAt}/restore and PATCH it.`
      )
const otherVersion = structured(
  409,
  "version_conflict",
  "The resource is not at expected_version.",
  "Read it again and repeat the change on that version."
)
export const versionConflict = (kind: "app" | "character" | "proactive policy" | "suite", current: number) =>
  otherVersion.saying(`The ${kind} is at version ${current}.`)
export const characterArchived = structured(
  409,
  "character_archived",
  "This character is archived.",
  "Choose an active character: GET /v1/characters?status=active. Or take this one back with POST " +
    "/v1/characters/{slug}/versions/{n}/restore."
)
export const characterNotReady = structured(
  409,
  "character_not_ready",
  "Something keeps this character from being talked to.",
  "GET /v1/characters/{slug}/readiness says what, and what to do about it."
)
export const idempotencyKeyReused = structured(
  422,
  "idempotency_key_reused",
  "This Idempotency-Key was used with another body.",
  "Use a new key for a new request; repeat the first body to get its answer again."
)

export const evidenceLimitReached = structured(
  409,
  "evidence_limit_reached",
  "The character has as much evidence as it may have, 200 texts.",
  "Retract what is not needed any more with DELETE."
)
export const evidenceRetracted = structured(
  409,
  "evidence_retracted",
  "What this rests on has been retracted.",
  "Start research anew on sources that hold."
)
export const researchNotFinished = structured(
  409,
  "research_not_finished",
  "The run goes on.",
  "Wait until it has ended: GET /v1/characters/{slug}/research/{research_id}. Or end it with POST .../cancel."
)
export const findingAccepted = structured(
  409,
  "finding_accepted",
  "This finding has been accepted, and what it changed is in the character.",
  "Change the character back with PATCH, or restore an earlier version."
)

export const memoryForgotten = structured(
  409,
  "memory_forgotten",
  "This memory is forgotten, and cannot be changed any more.",
  "Tell it again with POST /v1/sessions/{session_id}/memories, if it is to be known again."
)
export const pinnedLimitReached = structured(
  409,
  "pinned_limit_reached",
  "As many memories of this session are pinned as may be.",
  "Unpin one with PATCH and pinned: false."
)
export const personOptedOut = structured(
  409,
  "person_opted_out",
  "The person has asked to be left alone; only they can take that back.",
  "Wait until they say otherwise, in the conversation."
)

const importProblems = {
  too_large: structured(
    413,
    "import_too_large",
    "The file is larger than one may be, or unpacks to more.",
    "Leave out of it what the character does not need, such as pictures."
  ),
  unreadable: structured(
    422,
    "import_unreadable",
    "The file cannot be read as what it is.",
    "Export it anew where it comes from, and send it whole."
  ),
  unsupported: structured(
    422,
    "import_format_unsupported",
    "The file is of no kind that is known, or of another than was said.",
    "Send a character card of version 1, 2 or 3 (JSON or PNG), CharX, a lorebook, a character of elizaOS or a " +
      "bundle of this service."
  )
}
export const importRefused = (reason: keyof typeof importProblems, problem: string) =>
  importProblems[reason].saying(problem)
export const importHashMismatch = structured(
  409,
  "import_hash_mismatch",
  "The import is not what content_hash says any more.",
  "GET it, look at what has changed, and commit with its present content_hash."
)
export const importNotReady = structured(
  409,
  "import_not_ready",
  "The import needs review.",
  "Edit away its blockers with PATCH, and accept its warnings with accept_warnings."
)
const expiredImport = structured(
  409,
  "import_expired",
  "Nobody has committed the import within seven days, and nothing is kept of it.",
  "Stage the file again with POST /v1/imports."
)
export const importClosed = (status: "committed" | "discarded" | "expired") =>
  status === "expired"
    ? expiredImport
    : importNotReady.saying(`The import is ${status}.`, "Stage the file again with POST /v1/imports.")
export const importLimitReached = structured(
  409,
  "import_limit_reached",
  "As many imports of this app wait as may.",
  "Commit or discard some: GET /v1/imports?status=needs_review."
)

const scheduleFull = structured(
  409,
  "schedule_limit_reached",
  "The session has as many scheduled messages as it may have.",
  "Cancel one, or wait until one is sent."
)
export const scheduleLimitReached = (most: number) =>
  scheduleFull.saying(`The session has ${most} scheduled messages, which is the limit.`)
const scheduledAlready = structured(
  409,
  "scheduled_message_closed",
  "The scheduled message can no longer be cancelled.",
  "Only a message whose status is `scheduled` can be cancelled."
)
export const scheduleClosed = (status: string) =>
  scheduledAlready.saying(`The scheduled message can no longer be cancelled: its status is ${status}.`)

const worldFull = structured(
  409,
  "world_limit_reached",
  "The character's world has as many of these as there may be.",
  "Delete or change one that is there."
)
export const worldLimitReached = (message: string) => worldFull.saying(message)
const notNow = structured(
  409,
  "storyline_conflict",
  "No beat that may come now waits for this trigger.",
  "GET /v1/sessions/{session_id}/storylines says where the session stands, and the storyline's beats what follows."
)
export const storylineConflict = (trigger: string) =>
  notNow.saying(`No beat that may come now waits for the trigger ${trigger}, or not all its conditions hold.`)
const tooManyChannels = structured(
  409,
  "channel_limit_reached",
  "There are as many channels as there may be here.",
  "Delete a channel, or change the url or the events of one with PATCH."
)
export const channelLimitReached = (most: number) =>
  tooManyChannels.saying(`There are ${most} channels already, which is as many as there may be here.`)
const rejectedUrl = structured(
  422,
  "channel_url_rejected",
  "This is not a URL that events may be pushed to.",
  "Give an https URL whose host has a public address."
)
export const channelUrlRejected = ({ message, fix }: { readonly message: string; readonly fix: string }) =>
  rejectedUrl.saying(message, fix)
export const retryLimitReached = structured(
  409,
  "delivery_retry_limit_reached",
  "Too many deliveries of this channel wait to be made once more.",
  "Wait until they are made, or have everything from some cursor delivered again with POST " +
    ".../channels/{channel_id}/replay."
)

export const telegramTokenInvalid = structured(
  422,
  "telegram_token_invalid",
  "This is no token of a Telegram bot that Telegram takes.",
  "Copy the token from @BotFather, whole: digits, a colon and 35 characters."
)
export const telegramTokenOfAnother = structured(
  422,
  "telegram_token_invalid",
  "This is the token of another bot.",
  "Give a token of the same bot, or attach the other one with POST /v1/telegram/bots."
)
export const telegramBotTaken = structured(
  409,
  "telegram_bot_taken",
  "This Telegram bot is attached already.",
  "DELETE the bot where it is attached, or give that one a new token with PATCH."
)
export const telegramWebhookForeign = structured(
  409,
  "telegram_webhook_foreign",
  "Another system gets this bot's messages: its webhook is set.",
  "Take the bot out there first, or send takeover: true."
)
export const managedBotsUnavailable = structured(
  409,
  "managed_bots_unavailable",
  "This server has no manager bot.",
  "Attach a bot of your own with mode: byo, or have the operator set TELEGRAM_MANAGER_TOKEN."
)
export const preCheckoutOver = structured(
  409,
  "pre_checkout_over",
  "Telegram waits for no answer to this query of the bot's any more.",
  "Answer a payment.pre_checkout within ten seconds, once."
)
export const telegramNameTaken = structured(
  409,
  "telegram_name_taken",
  "Another app has requested a bot of this username within the last day.",
  "Suggest another username, or leave suggested_username out: a free one is made up."
)
export const botManaged = structured(
  409,
  "bot_managed",
  "This bot's token is replaced here.",
  "Replace it with POST /v1/telegram/bots/{bot_id}/rotate-token."
)
export const botNotManaged = structured(
  409,
  "bot_not_managed",
  "This bot's token is its owner's to replace.",
  "Get a new one from @BotFather, and PATCH it."
)
const otherStatus = structured(
  409,
  "bot_status_conflict",
  "In its present status that cannot be done to the bot.",
  "GET the bot says how it is doing, and what it takes to go on."
)
export const botStatusConflict = (status: string) =>
  otherStatus.saying(`The bot is ${status}: that cannot be done now.`)
const upstreamFailed = structured(
  502,
  "upstream_failed",
  "A service that this one asks gave no answer.",
  "Try again in a while."
)
export const telegramUnavailable = (description: string) =>
  upstreamFailed.saying(`Telegram could not be asked: ${description}.`)

export const storageUnavailable = upstreamFailed.saying("The storage of pictures could not be asked.")

export const assetTooLarge = structured(
  413,
  "asset_too_large",
  "The picture is larger than 5 MiB.",
  "Send a smaller one: fewer pixels, or JPEG or WebP instead of PNG."
)
const unsupportedAsset = structured(
  422,
  "asset_type_unsupported",
  "This is no picture that is taken.",
  "Send a PNG, JPEG or WebP picture of at most 40 million pixels, whole, with nothing behind it, that does not move."
)
export const assetTypeUnsupported = (problem: string) => unsupportedAsset.saying(problem)
const tooManyAssets = structured(
  409,
  "asset_limit_reached",
  "The character has as many pictures as it may have.",
  "Delete one that is not needed any more."
)
export const assetLimitReached = (most: number) =>
  tooManyAssets.saying(`The character has ${most} pictures, which is as many as it may have.`)

const promptRejected = structured(
  422,
  "image_prompt_rejected",
  "This picture is not made.",
  "Ask for another. Nothing sexual, no minors and no self-harm are shown; of a character that is not an adult " +
    "there are avatars and expressions without words."
)
export const imagePromptRejected = (why: string) => promptRejected.saying(why)
export const visualIdentityMissing = structured(
  409,
  "visual_identity_missing",
  "Nobody has said what this character looks like.",
  "PUT /v1/characters/{slug}/visual-identity with its appearance."
)

export const sessionExited = structured(
  409,
  "session_exited",
  "The character has left this session and will not reply in it again.",
  "Start a new session with POST /v1/sessions."
)
export const budgetExceeded = structured(
  402,
  "budget_exceeded",
  "The app's budget does not cover this message. Nothing was charged.",
  "Raise the app's budget, or wait until it starts anew."
)
export const demoCreditUsed = budgetExceeded.saying(
  "The credit of this demo key does not cover this message. Nothing was charged.",
  ownApp
)
export const evalNotFunded = budgetExceeded.saying(
  "The app's budget does not cover the first case of the run. Nothing was charged."
)
const needsEvalBudget = structured(
  409,
  "eval_budget_required",
  "A run by a model needs a bound on what it may cost.",
  'Send max_cost_usd, or engine: "offline", which costs nothing.'
)
export const evalBudgetRequired = (leastUsd: number) =>
  needsEvalBudget.saying(
    `A run by a model needs a bound on what it may cost, and the dearest case of this one may cost ${leastUsd} USD.`,
    `Send max_cost_usd of ${leastUsd} or more, or engine: "offline", which costs nothing.`
  )
const unfinishedEval = structured(
  409,
  "eval_run_not_finished",
  "The run has not ended yet.",
  "GET the run until it has a finished_at, or cancel it with POST /v1/evals/runs/{run_id}/cancel."
)
export const evalRunNotFinished = (runId: string) => unfinishedEval.saying(`The run ${runId} has not ended yet.`)
export const workNotAffordable = budgetExceeded.saying(
  "The app's budget does not cover what this may cost. Nothing was charged."
)
export const endUserCapExceeded = structured(
  402,
  "end_user_cap_exceeded",
  "This end-user has used up what the app allows one. Nothing was charged.",
  "Raise the end-user's caps with PATCH /v1/end-users/{external_user_ref}/caps, or wait until they start anew " +
    "at 00:00 UTC."
)
export const endUserBlocked = structured(
  409,
  "end_user_blocked",
  "The app has blocked this end-user.",
  "Take the block away with PATCH /v1/end-users/{external_user_ref} and blocked: false."
)
export const turnQueueFull = structured(
  429,
  "turn_queue_full",
  "Too many messages wait for an answer in this session.",
  "Wait for replies before sending more."
)
export const requestGivenUp = structured(
  422,
  "request_given_up",
  "Processing this request has stopped the server five times, so it is not tried again.",
  "Change what you send. If you cannot tell what is wrong with it, give the request_id to the operator.",
  { retryable: false }
)
const tooMany = structured(429, "rate_limited", "Too many at once.", "Try again after the time in Retry-After.")
export const rateLimited = (message: string) => tooMany.saying(message)
export const largeBodyBusy = tooMany
  .saying(
    "Other large bodies of this app are being read: a body of more than 1 MiB waits for the one before.",
    "Send large bodies one after another. Try again after the time in Retry-After."
  )
  .after(1)
export const tooManyReads = (most: number) =>
  tooMany
    .saying(
      `This app holds ${most} streams and waiting polls open, as many as it may in one process.`,
      "Close some, poll without wait, or have events of all sessions pushed to one webhook: POST " +
        "/v1/apps/{app_id}/channels."
    )
    .after(5)
export const addressLimited = (seconds: number) =>
  tooMany.saying("Too many requests without a key from this address within a minute.").after(seconds)
export const quotaTaken = ({ policy, quota, seconds }: Standing) =>
  rateLimited(`More ${policy} than ${quota} in a minute.`).after(seconds)

export const deviceRateLimited = structured(
  429,
  "account_device_rate_limited",
  "Too many device codes were asked for from this address.",
  "Use the code that you were given, or try again after the time in Retry-After."
)
export const signInDisabled = structured(
  503,
  "account_sign_in_disabled",
  "Nobody can sign in here: this server has no identity provider.",
  "Have the operator set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or make an app at the command line.",
  { retryable: false }
)
export const authorizationPending = structured(
  400,
  "authorization_pending",
  "Nobody has approved or denied the code yet.",
  "Ask again after interval_seconds.",
  { retryable: true }
)
export const slowDown = structured(
  429,
  "slow_down",
  "Asked too soon; the interval is 5 seconds longer from now on.",
  "Ask again after interval_seconds."
)
export const accessDenied = structured(
  403,
  "access_denied",
  "The person has denied the request.",
  "Start anew with POST /v1/account/device/start, if they want that."
)
export const expiredToken = structured(
  400,
  "expired_token",
  "This device code has expired, was used, or never was.",
  "Start anew with POST /v1/account/device/start."
)
