import * as Schema from "effect/Schema"
import { type OperationalType, operationalPayloads } from "#channels/OperationalLog.ts"
import { type EventType, messengerPayloads, type MessengerEventType, payloads } from "#pipeline/domain/Event.ts"
import type { Json } from "./components.ts"

type AnyType = EventType | MessengerEventType | OperationalType

const ALL: Readonly<Record<AnyType, Schema.Top>> = { ...payloads, ...messengerPayloads, ...operationalPayloads }

/** Who an event is by. All others are by the system. */
const ROLES: Readonly<Partial<Record<AnyType, ReadonlyArray<string>>>> = {
  "message.created": ["user", "character"],
  "message.edited": ["user"],
  "run.status": ["character"],
  "character.initiated": ["character"],
  "image.ready": ["character"]
}

const WHEN: Readonly<Record<AnyType, string>> = {
  "message.created": "A message of the end-user, at the cursor that the send returned, or the reply of the character",
  "run.status": "A sent message is being answered. A hint for a typing indicator, not a promise of a reply",
  "character.initiated": "The character wrote first: its greeting, or a proactive message",
  "image.ready": "An image was made for the session",
  "message.failed": "The reply failed. The message of the end-user stays recorded",
  "relationship_score.changed": "Relationship scores changed. Only if the app exposes them",
  "session.exited": "The character has left the session, and does not reply in it again",
  "channel.notice": "A bot answered a command or a button, outside of the conversation",
  "message.edited": "The end-user edited a message in their messenger",
  "budget.warning": "A budget of the app is nearly or fully used",
  "character.not_ready": "Someone wrote to a bot whose character is not ready for conversations",
  "delivery.unknown": "It is unknown whether a message has arrived",
  "delivery.delayed": "The messenger makes a delivery wait",
  "chat.blocked": "A person has blocked the bot, or a group has removed it",
  "chat.unblocked": "The bot may write to a chat again",
  "chat.unreachable": "A chat does not exist any more, or the bot may not write to it",
  "bot.active": "A bot works",
  "bot.degraded": "A bot works only partly",
  "bot.recovered": "A bot works again",
  "bot.revoked": "The token of a bot was revoked",
  "bot.suspended": "A bot was suspended",
  "bot.detached": "A bot no longer belongs to the app",
  "bot.owner_changed": "A managed bot has another owner",
  "bot.token_replaced": "The owner of a managed bot has replaced its token",
  "app.suspended": "The operator has suspended the app",
  "app.resumed": "The operator has resumed the app",
  "telegram.held": "The operator has stopped what is sent to Telegram",
  "telegram.released": "What is sent to Telegram continues",
  "payment.pre_checkout": "A person is about to pay. The app approves or rejects it",
  "payment.succeeded": "A person has paid",
  "payment.paid_media": "A person has bought paid media",
  "payment.subscription": "A subscription has changed"
}

const ANY_OBJECT = { type: "object", additionalProperties: true }

const nameOf = (type: string): string =>
  type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase()) + "Event"

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** An event: what all have, and what is its own. */
const eventOf = (type: string, roles: ReadonlyArray<string>, payload: object, description: string): Json => ({
  description,
  allOf: [
    refTo("EventBase"),
    {
      properties: {
        type: { type: "string", const: type },
        event_type: { type: "string", const: type },
        role: { type: "string", enum: roles },
        payload
      },
      required: ["type", "event_type", "role", "payload"]
    }
  ]
})

const unionOf = (types: ReadonlyArray<string>, description: string): Json => ({
  description,
  oneOf: types.map((type) => refTo(nameOf(type))),
  discriminator: {
    propertyName: "type",
    mapping: Object.fromEntries(types.map((type) => [type, `#/components/schemas/${nameOf(type)}`]))
  }
})

/**
 * The schemas of events: one per type, with its payload. `event`: the schema of any event, from which they take what
 * all have. `clean` prepares a payload's schema for the document.
 */
export const eventComponents = (event: Json, clean: (schema: Json) => Json): Readonly<Record<string, Json>> => {
  const { type: _, event_type: __, role: ___, payload: ____, ...properties } = event["properties"] as Json
  const own = Object.entries(ALL).map(([type, payload]) => {
    const known = type as AnyType
    const given = Schema.toJsonSchemaDocument(payload).schema as Json
    // A struct without fields accepts whatever is not null.
    const schema = given["properties"] === undefined ? ANY_OBJECT : clean(given)
    return [nameOf(type), eventOf(type, ROLES[known] ?? ["system"], schema, WHEN[known])] as const
  })
  const types = Object.keys(ALL)
  return {
    EventBase: { type: "object", properties, required: Object.keys(properties) },
    ...Object.fromEntries(own),
    Event: unionOf(types, "An event of a log. Ignore types that you do not know: new ones may be added"),
    ChannelTestEvent: {
      description: "A test of a channel. It is on no log, and its cursor is 0",
      type: "object",
      properties: {
        ...properties,
        session_id: { type: ["string", "null"], description: "null through an app-wide channel" },
        type: { type: "string", const: "channel.test" },
        event_type: { type: "string", const: "channel.test" },
        role: { type: "string", const: "system" },
        payload: ANY_OBJECT
      },
      required: [...Object.keys(properties), "type", "event_type", "role", "payload"]
    },
    WebhookEvent: {
      description: "The event that a webhook channel pushes",
      oneOf: [refTo("Event"), refTo("ChannelTestEvent")]
    }
  }
}
