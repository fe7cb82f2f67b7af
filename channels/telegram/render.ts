import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Entity, MAX_UNITS, readMarks, splitMarked } from "./markup.ts"

/** One message to Telegram. */
export type Message =
  | { readonly kind: "text"; readonly text: string; readonly entities: ReadonlyArray<Entity> }
  | { readonly kind: "photo"; readonly imageId: string; readonly caption: string; readonly alternative: string }

/**
 * The event types that a bot's lanes need. The user's own messages are included, because they start the typing
 * indicator.
 */
export const EVENT_TYPES = [
  "message.created",
  "character.initiated",
  "message.failed",
  "session.exited",
  "image.ready",
  "channel.notice"
] as const

const MAX_CAPTION_UNITS = 1024
/** Marks a possible duplicate. Every message has room for it. */
const MARK = "↻ "

const Spoken = Schema.Struct({ role: Schema.String, payload: Schema.Struct({ bubbles: Schema.Array(Schema.String) }) })
const Notice = Schema.Struct({ payload: Schema.Struct({ text: Schema.String }) })
const Image = Schema.Struct({
  payload: Schema.Struct({
    image_request_id: Schema.String,
    servable: Schema.Boolean,
    caption: Schema.optionalKey(Schema.NullOr(Schema.String)),
    visible_description: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
})
const decode = {
  spoken: Schema.decodeUnknownOption(Schema.fromJsonString(Spoken)),
  notice: Schema.decodeUnknownOption(Schema.fromJsonString(Notice)),
  image: Schema.decodeUnknownOption(Schema.fromJsonString(Image))
}

/** One of our texts or an authored text, as messages. */
export const textsOf = (text: string): ReadonlyArray<Message> =>
  splitMarked(readMarks(text), MAX_UNITS - MARK.length).map(({ text, entities }) => ({ kind: "text", text, entities }))

const imageOf = (event: string): ReadonlyArray<Message> => {
  const image = Option.getOrUndefined(decode.image(event))?.payload
  if (image === undefined || !image.servable) return []
  const [caption = ""] = splitMarked({ text: image.caption ?? "", entities: [] }, MAX_CAPTION_UNITS - MARK.length).map(
    (piece) => piece.text
  )
  return [
    {
      kind: "photo",
      imageId: image.image_request_id,
      caption,
      alternative: image.caption ?? image.visible_description ?? ""
    }
  ]
}

/** Marks the message as a possible duplicate. */
export const asCopy = (message: Message): Message =>
  message.kind === "photo"
    ? {
        ...message,
        caption: `${MARK}${message.caption}`.trim(),
        alternative: message.alternative === "" ? "" : MARK + message.alternative
      }
    : {
        ...message,
        text: MARK + message.text,
        entities: message.entities.map((entity) => ({ ...entity, offset: entity.offset + MARK.length }))
      }

/** The messages of an event in a chat: none, one or several, and always the same ones. */
export const render = (type: string, event: string): ReadonlyArray<Message> => {
  switch (type) {
    case "message.created":
    case "character.initiated": {
      const spoken = Option.getOrUndefined(decode.spoken(event))
      return spoken?.role === "character" ? spoken.payload.bubbles.flatMap(textsOf) : []
    }
    case "channel.notice":
      return textsOf(Option.getOrUndefined(decode.notice(event))?.payload.text ?? "")
    case "image.ready":
      return imageOf(event)
    default:
      return []
  }
}

/** Whether the event is a user message that will be answered. */
export const isAsked = (type: string, event: string): boolean =>
  type === "message.created" && Option.getOrUndefined(decode.spoken(event))?.role === "user"
