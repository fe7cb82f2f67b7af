import type { MessagePart } from "#pipeline/domain/Event.ts"
import { clean, shorten } from "./clean.ts"
import type { Media, MediaContent } from "./content.ts"

const MAX_OF_DETAIL = 100
const MAX_OF_QUESTION = 300
/** How many options of a poll, or tasks of a checklist, are named. */
const MAX_ITEMS = 20

const detail = (text: string | undefined): string => shorten(text ?? "", MAX_OF_DETAIL)
const bracketed = (what: string, details: ReadonlyArray<string | undefined>): string => {
  const said = details.filter((text) => text !== undefined && text.trim() !== "")
  return `[${what}${said.length === 0 ? "" : `: ${said.join(", ")}`}]`
}
const seconds = (duration: number | undefined) => (duration === undefined ? "" : `, ${Math.round(duration)} s`)
const items = (texts: ReadonlyArray<string>) =>
  texts
    .slice(0, MAX_ITEMS)
    .map((text) => detail(text))
    .join(" / ")
const titleOf = ({ title, performer, file_name: name }: Media) =>
  title === undefined ? [detail(name)] : [detail(title), detail(performer)]
const place = ({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }) =>
  `${latitude}, ${longitude}`

/** Each kind of content, in the order in which it is looked for: a venue also has a location, an animation a file. */
const KINDS: Readonly<Record<string, (content: MediaContent) => string | null>> = {
  sticker: ({ sticker }) => (sticker === undefined ? null : (sticker.emoji ?? "[sticker]")),
  dice: ({ dice }) => (dice === undefined ? null : `${dice.emoji} ${dice.value}`),
  photo: ({ photo }) => (photo === undefined ? null : "[photo]"),
  voice: ({ voice }) => (voice === undefined ? null : `[voice message${seconds(voice.duration)}]`),
  video_note: ({ video_note: note }) => (note === undefined ? null : `[video message${seconds(note.duration)}]`),
  animation: ({ animation }) => (animation === undefined ? null : "[animation]"),
  video: ({ video }) => (video === undefined ? null : `[video${seconds(video.duration)}]`),
  audio: ({ audio }) =>
    audio === undefined ? null : `${bracketed("audio", titleOf(audio)).slice(0, -1)}${seconds(audio.duration)}]`,
  document: ({ document }) => (document === undefined ? null : bracketed("file", [detail(document.file_name)])),
  venue: ({ venue }) =>
    venue === undefined
      ? null
      : bracketed("venue", [detail(venue.title), detail(venue.address), venue.location && place(venue.location)]),
  location: ({ location }) => (location === undefined ? null : `[location: ${place(location)}]`),
  contact: ({ contact }) =>
    contact === undefined ? null : `[contact: ${detail([contact.first_name, contact.last_name].join(" ").trim())}]`,
  poll: ({ poll }) =>
    poll === undefined
      ? null
      : `[poll: ${[shorten(poll.question, MAX_OF_QUESTION), items((poll.options ?? []).map(({ text }) => text))]
          .join(" ")
          .trim()}]`,
  checklist: ({ checklist }) =>
    checklist === undefined
      ? null
      : bracketed("checklist", [
          [detail(checklist.title), items((checklist.tasks ?? []).map(({ text }) => text))].join(" ").trim()
        ]),
  story: ({ story }) => (story === undefined ? null : "[story]"),
  paid_media: ({ paid_media: paid }) => (paid === undefined ? null : "[paid media]"),
  game: ({ game }) => (game === undefined ? null : bracketed("game", [detail(game.title)])),
  gift: ({ gift, unique_gift: unique }) => ((gift ?? unique) === undefined ? null : "[gift]"),
  invoice: ({ invoice }) => (invoice === undefined ? null : bracketed("invoice", [detail(invoice.title)])),
  giveaway: ({ giveaway }) =>
    giveaway === undefined ? null : bracketed("giveaway", [detail(giveaway.prize_description)]),
  giveaway_winners: ({ giveaway_winners: won }) =>
    won === undefined ? null : bracketed("winners of a giveaway", [detail(won.prize_description)]),
  web_app_data: ({ web_app_data: sent }) =>
    sent === undefined
      ? null
      : bracketed("data of a web app", [detail(sent.button_text), shorten(sent.data ?? "", MAX_OF_QUESTION)]),
  users_shared: ({ users_shared: shared, user_shared: one }) =>
    shared === undefined && one === undefined
      ? null
      : bracketed("shared contacts", [items((shared?.users ?? []).flatMap(({ first_name: name }) => name ?? []))]),
  chat_shared: ({ chat_shared: shared }) =>
    shared === undefined ? null : bracketed("shared chat", [detail(shared.title)]),
  // What these hold is for the service that asked for it, and for nobody else.
  successful_payment: ({ successful_payment: payment }) => (payment === undefined ? null : "[payment]"),
  passport_data: ({ passport_data: passport }) => (passport === undefined ? null : "[passport data]"),
  unsupported: ({ unsupported }) => (unsupported === undefined ? null : "[unsupported message]")
}

/**
 * Describes content other than text in words, without pretending that anyone has seen or heard it. Null: there is
 * none.
 */
export const describe = (content: MediaContent): MessagePart | null => {
  for (const [type, words] of Object.entries(KINDS)) {
    const text = words(content)
    if (text === null) continue
    const { unsupported } = content
    return { type, text: clean(text), ...(type === "unsupported" && unsupported && { kind: unsupported }) }
  }
  return null
}
