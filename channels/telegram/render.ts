import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Entity, MOST_UNITS, readMarks, splitMarked } from "./markup.ts"

/** One message to Telegram. */
export type Message =
  | { readonly kind: "text"; readonly text: string; readonly entities: ReadonlyArray<Entity> }
  | { readonly kind: "photo"; readonly imageId: string; readonly caption: string; readonly alternative: string }

/** The types that a bot's lanes want. The user's own are among them: they begin the typing. */
export const EVENT_TYPES = [
  "message.created",
  "character.initiated",
  "message.failed",
  "session.exited",
  "image.ready",
  "channel.notice"
] as const

const MOST_CAPTION_UNITS = 1024
/** What a copy begins with that says so. There is room for it in every message. */
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

const EXITED = "This conversation has ended. Send /start to begin a new one."

/** A text of our own or an author's as messages. */
export const textsOf = (text: string): ReadonlyArray<Message> =>
  splitMarked(readMarks(text), MOST_UNITS - MARK.length).map(({ text, entities }) => ({ kind: "text", text, entities }))

const imageOf = (event: string): ReadonlyArray<Message> => {
  const image = Option.getOrUndefined(decode.image(event))?.payload
  if (image === undefined || !image.servable) return []
  const [caption = ""] = splitMarked({ text: image.caption ?? "", entities: [] }, MOST_CAPTION_UNITS - MARK.length).map(
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

/** The message as one that may be a copy. */
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

/** What an event is in a chat: none, one or several messages, the same ones each time. */
export const render = (type: string, event: string): ReadonlyArray<Message> => {
  switch (type) {
    case "message.created":
    case "character.initiated": {
      const spoken = Option.getOrUndefined(decode.spoken(event))
      return spoken?.role === "character" ? spoken.payload.bubbles.flatMap(textsOf) : []
    }
    case "channel.notice":
      return textsOf(Option.getOrUndefined(decode.notice(event))?.payload.text ?? "")
    case "session.exited":
      return textsOf(EXITED)
    case "image.ready":
      return imageOf(event)
    default:
      return []
  }
}

/** Whether the event is a message of the user's, which somebody is about to answer. */
export const isAsked = (type: string, event: string): boolean =>
  type === "message.created" && Option.getOrUndefined(decode.spoken(event))?.role === "user"
