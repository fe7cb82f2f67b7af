import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import * as z from "zod"
import { EventData, eventType } from "#src/http/conversation/eventSchemas.ts"
import { name } from "../tool.ts"
import { EVENT_DESCRIPTIONS } from "./eventDescriptions.ts"
import { notFound } from "./eventErrors.ts"

/** The event type that stands for all of them. Each occurrence has the name of its own type. */
const FEED = "feed"

const filters = {
  character: name("Only events of sessions with this character, by its slug. Not with webhook delivery").optional(),
  session: name("Only events of this session. Not with webhook delivery").optional()
}
const ofType = z.strictObject(filters)
const ofFeed = z.strictObject({
  types: z.array(eventType).min(1).max(40).optional().describe("Only events of these types"),
  ...filters
})

interface Filters {
  readonly types?: ReadonlyArray<string> | undefined
  readonly character?: string | undefined
  readonly session?: string | undefined
}

/** Which events a client asks for. Undefined: all. */
export interface Subscription {
  readonly types: ReadonlyArray<string> | undefined
  readonly character: string | undefined
  readonly session: string | undefined
}

/** The `name` and `arguments` of a request. */
export const subscriptionParams = {
  name: z.string().max(100),
  arguments: z.record(z.string(), z.unknown()).nullish()
}

const isType = (text: string): boolean => eventType.safeParse(text).success

/** What a name and its arguments ask for. Throws an error of the protocol if there is no such thing. */
export const readSubscription = (given: {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>> | null | undefined
}): Subscription => {
  if (given.name !== FEED && !isType(given.name))
    throw notFound("event", `There is no event type ${given.name}. List them with events/list.`)
  const schema: z.ZodType<Filters> = given.name === FEED ? ofFeed : ofType
  const read = schema.safeParse(given.arguments ?? {})
  if (!read.success)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `arguments: ${z.prettifyError(read.error)}`)
  const { character, session, types = given.name === FEED ? undefined : [given.name] } = read.data
  return { types: types === undefined ? undefined : [...new Set(types)].sort(), character, session }
}

/** The event types, and how each can be delivered. */
export const listEventTypes = (allowWrites: boolean) => {
  const delivery = ["poll", "push", ...(allowWrites ? ["webhook"] : [])]
  const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input" })
  const payloadSchema = schemaOf(EventData)
  return [
    ...eventType.options.map((type) => ({
      name: type,
      description: EVENT_DESCRIPTIONS[type],
      delivery,
      inputSchema: schemaOf(ofType),
      payloadSchema
    })),
    {
      name: FEED,
      description: "All events of the app in one order, or those of some types",
      delivery,
      inputSchema: schemaOf(ofFeed),
      payloadSchema
    }
  ]
}
