import * as z from "zod"
import { READINESS } from "#pipeline/readiness/Readiness.ts"
import { codesOf } from "#src/http/server/errorTexts.ts"
import { ProactiveStateData } from "#src/http/proactive/proactiveSchemas.ts"
import { StoryOfSession } from "#src/http/world/storylineSchemas.ts"

/** Schemas of answers, for the OpenAPI document and the contract tests. Answers are not validated at runtime. */

const NextAction = z.object({ command: z.string(), description: z.string() })

const StructuredError = z.object({
  detail: z.object({ code: z.string(), message: z.string(), fix: z.string(), request_id: z.string() })
})
const Expired = z.object({
  detail: StructuredError.shape.detail.extend({ earliest_since: z.int().describe("Where to read on from") })
})
const PlainError = z.object({ detail: z.string() })

const Waiting = z.object({
  detail: StructuredError.shape.detail.extend({ interval_seconds: z.int().optional().describe("How long to wait") })
})

const ERRORS = {
  400: ["Not yet, or not any more", Waiting],
  401: ["No bearer, or a credential of another kind", z.union([PlainError, StructuredError])],
  402: ["The budget does not cover it; nothing was charged", StructuredError],
  403: ["The key is invalid or revoked, or may not do this", z.union([PlainError, StructuredError])],
  404: ["Not there, or not this app's", StructuredError],
  408: ["The request did not arrive in time", StructuredError],
  410: ["No longer kept", Expired],
  409: ["In conflict with the present state", StructuredError],
  413: ["The body is too large", StructuredError],
  415: ["The body is compressed, or of a content type that is not read", StructuredError],
  422: ["The request is not valid", StructuredError],
  429: ["Too many, or too much waiting", StructuredError],
  431: ["The request line and headers are too large", StructuredError],
  500: ["A failure of ours; passing", StructuredError],
  502: ["A service that this one asks gave no answer; passing", StructuredError],
  503: ["Database unreachable, or starting or stopping; passing", PlainError]
} as const

/**
 * The description of a status with its codes from the catalogue. Errors with a code and status 503 are declared by
 * their routes.
 */
const withCodes = (status: keyof typeof ERRORS): string => {
  const codes = status === 503 ? "" : codesOf(status)
  return ERRORS[status][0] + (codes === "" ? "" : `. Among: ${codes}`)
}

const withData = (data: z.ZodType) => z.object({ schema_version: z.string(), data, next_actions: z.array(NextAction) })

type Answers = Record<
  number,
  | z.ZodType<unknown>
  | { readonly description: string; readonly content: Record<string, { readonly schema: z.ZodType<unknown> }> }
>

/** The answers of a route: its data in the envelope, and its errors in addition to the common ones. */
export const answers = (data: z.ZodType, ...errors: ReadonlyArray<keyof typeof ERRORS>): Answers =>
  answersAs("application/json", withData(data), ...errors)

/** The answers of a route without an envelope. */
export const answersAs = (
  mediaType: string,
  success: z.ZodType,
  ...errors: ReadonlyArray<keyof typeof ERRORS>
): Answers =>
  publicAnswers(
    mediaType,
    success,
    ...new Set([
      ...errors,
      ...(errors.includes(413) ? [415 as const] : []),
      401,
      403,
      408,
      422,
      429,
      431,
      500,
      503
    ] as const)
  )

/** The same for a route without authentication, with only these errors, that the operator may disable. */
export const envelopeAnswers = (data: z.ZodType, ...errors: ReadonlyArray<keyof typeof ERRORS>): Answers => ({
  ...publicAnswers("application/json", withData(data), ...errors),
  503: z
    .union([PlainError, StructuredError])
    .describe(
      `${ERRORS[503][0]}. Or closed by the operator, which is not passing and has a code, among: ${codesOf(503)}`
    )
})

/** The answers of a route without authentication: its success and only these errors. */
export const publicAnswers = (
  mediaType: string,
  success: z.ZodType,
  ...errors: ReadonlyArray<keyof typeof ERRORS>
): Answers => ({
  200: { description: "Success", content: { [mediaType]: { schema: success } } },
  ...Object.fromEntries(errors.map((status) => [status, ERRORS[status][1].describe(withCodes(status))]))
})

const time = z.iso.datetime()

/** What the answer to any request with a body may contain besides the resource. */
export const written = {
  ignored_fields: z.array(z.string()).optional().describe("Fields of the body that had no effect, for instance a typo")
}
/** The same for a create, which accepts an Idempotency-Key. */
export const created = {
  ...written,
  idempotent_replay: z.literal(true).optional().describe("This is the answer that the same Idempotency-Key got before")
}

export const AppData = z.object({
  app_id: z.string(),
  name: z.string(),
  environment: z.enum(["test", "live"]),
  expose_relational_numerics: z.boolean(),
  version: z.int(),
  created_at: time,
  suspended_at: time.nullable().describe("Since when the operator has the app suspended; null: it is not"),
  suspended_reason: z.string().nullable().describe("The operator's words")
})
export const MeData = AppData.extend({
  engine: z
    .string()
    .describe("Which engine writes the replies: openai-compatible, or offline-retrieval.v1, which is no model"),
  model: z.string()
})

export const CharacterData = z
  .object({
    slug: z.string(),
    display_name: z.string(),
    status: z.enum(["active", "archived"]),
    version: z.int(),
    readiness: z.object({ status: z.enum(READINESS), checked_at: time }),
    created_at: time,
    updated_at: time,
    import_id: z.string().nullable()
  })
  .loose()
  .describe("The authored fields as they were given, and these")
export const CharacterPage = z.object({ characters: z.array(CharacterData), next_cursor: z.string().nullable() })
export const CharacterVersionPage = z.object({
  versions: z.array(
    z.object({
      version: z.int(),
      display_name: z.string(),
      current: z.boolean().describe("Whether new turns use it"),
      source_ref: z
        .object({ kind: z.literal("finding"), id: z.string() })
        .nullable()
        .describe("The accepted finding that it was made by, if it was"),
      created_at: time
    })
  ),
  next_cursor: z.string().nullable()
})

export const SessionData = z.object({
  id: z.string(),
  character_slug: z.string(),
  character_version: z.int(),
  external_user_ref: z.string(),
  status: z.enum(["active", "exited", "archived"]),
  exit: z.object({ reason_code: z.string(), at: time }).nullable(),
  last_cursor: z.int(),
  turn_count: z.int(),
  unanswered_character_turns: z.int(),
  metadata: z.record(z.string(), z.unknown()),
  created_at: time,
  last_user_at: time.nullable(),
  last_character_at: time.nullable()
})
export const SessionPage = z.object({ sessions: z.array(SessionData), next_cursor: z.string().nullable() })

export const relationshipScores = z.array(
  z.object({
    key: z.string(),
    label: z.string(),
    value: z.number(),
    lower_is_open: z.boolean(),
    updated_at: time,
    version: z.string()
  })
)

/** Contract 2.5. */
export const RelationalMeter = z.object({
  relationship_scores: relationshipScores.describe(
    "Final values by now, one for each dimension of the character's posture; empty until the app opts in"
  ),
  score_contract: z.object({
    score_version: z.literal("relationship_scores.v1"),
    scale: z.object({ min: z.number(), max: z.number() }),
    semantics: z.object({ monotonic: z.boolean(), may_move_down: z.boolean() })
  }),
  redacted: z.boolean().describe("Whether the app has yet to opt in, with expose_relational_numerics")
})

export const SessionStateData = z.object({
  session: SessionData,
  turn: z.object({ state: z.enum(["idle", "generating"]), run_ref: z.string().nullable() }),
  emotion: z.object({ label: z.string(), valence: z.number(), arousal: z.number(), updated_at: time }),
  relational_meter: RelationalMeter,
  stage: z.string().nullable(),
  open_loop_count: z.int(),
  storyline: StoryOfSession.nullable(),
  proactive: ProactiveStateData
})

/** Contract 2.4. */
export const AcceptData = z.object({
  accepted: z.literal(true),
  cursor: z.int().describe("Cursor of the user's own message.created"),
  sent_turn_index: z.int(),
  run_ref: z.string(),
  reply_mode: z.enum(["fast", "deep"]),
  ...created
})

/** Contract 2.3. */
export const EventData = z.object({
  id: z.string(),
  schema_version: z.string(),
  cursor: z.int(),
  session_id: z.string(),
  type: z.string(),
  event_type: z.string().describe("Always equal to type"),
  role: z.enum(["user", "character", "system"]),
  trace_id: z.string().describe("Equals the turn's run_ref"),
  created_at: time,
  payload: z.record(z.string(), z.unknown()),
  source_ref: z.object({
    kind: z.string(),
    id: z.string().optional(),
    external_user_ref: z
      .string()
      .optional()
      .describe("The end-user of the session; absent on the app's operational log"),
    character_slug: z.string().optional().describe("The character of the session; absent on the app's operational log")
  })
})

/** Contract 4.6. */
export const EventPage = z.object({ events: z.array(EventData), next_cursor: z.int(), has_more: z.boolean() })
