import { avatar, build, clockTime, dayName } from "./build.js"
import { routeOf } from "./links.js"
import { act, notice } from "./server.js"

const KINDS = {
  photo: "Photo",
  voice: "Voice message",
  video: "Video",
  document: "File",
  sticker: "Sticker",
  audio: "Audio",
  animation: "GIF",
  video_note: "Video message"
}

const stamp = (seconds) =>
  new Date(seconds * 1000).toDateString() === new Date().toDateString() ? clockTime(seconds) : dayName(seconds)

const preview = (chat, me) => {
  if (chat.activity) return build("p", { class: "preview active" }, chat.activity === "typing" ? "typing…" : "sending…")
  if (!chat.last) return build("p", { class: "preview new" }, "Not started yet")
  const text = chat.last.text || KINDS[chat.last.kind] || "Service message"
  return build("p", { class: "preview" }, chat.last.fromId === me.id ? `You: ${text}` : text)
}

const entry = (chat, me) =>
  build(
    "li",
    {},
    build(
      "button",
      {
        type: "button",
        onclick: () => {
          location.hash = `#/${chat.kind}/${chat.id}`
        }
      },
      avatar(chat),
      build(
        "span",
        { class: "lines" },
        build(
          "span",
          { class: "line" },
          build("span", { class: "title" }, chat.title),
          chat.last && build("time", {}, stamp(chat.last.date))
        ),
        preview(chat, me)
      )
    )
  )

const people = (list, choose) => {
  const select = build(
    "select",
    { class: "people", "aria-label": "Whose phone" },
    list.people.map((person) =>
      build("option", { value: person.id, selected: person.id === list.me.id }, person.first_name)
    ),
    build("option", { value: "new" }, "Another person…")
  )
  select.addEventListener("change", async () => {
    if (select.value !== "new") return choose(Number(select.value))
    // eslint-disable-next-line no-alert
    const name = prompt("What is the name of the person?")
    if (!name?.trim()) {
      select.value = String(list.me.id)
      return
    }
    choose((await act("person", { first_name: name.trim() })).id)
  })
  return select
}

/** Opens a link that was typed or pasted. */
const linkForm = () => {
  const input = build("input", {
    type: "text",
    name: "link",
    "aria-label": "Open a t.me link",
    placeholder: "Open a t.me link or @username",
    autocomplete: "off",
    spellcheck: "false"
  })
  return build(
    "form",
    {
      class: "link-form",
      onsubmit: (event) => {
        event.preventDefault()
        const route = routeOf(input.value)
        if (route === undefined) notice("That is not a t.me link")
        else location.hash = route
      }
    },
    input
  )
}

/** The first screen. What is typed in it outlives a change of the list. */
export const chatListView = (choose) => {
  const header = build("header", { class: "bar" }, build("h1", {}, "Chats"))
  const chats = build("ul", { class: "chats" })
  const element = build("main", { class: "view" }, header, linkForm(), chats)
  let shown = ""
  const update = (list) => {
    if (JSON.stringify(list.people) + list.me.id !== shown) {
      shown = JSON.stringify(list.people) + list.me.id
      header.replaceChildren(build("h1", {}, "Chats"), people(list, choose))
    }
    const focused = [...chats.children].findIndex((item) => item.contains(document.activeElement))
    chats.replaceChildren(...list.chats.map((chat) => entry(chat, list.me)))
    if (list.chats.length === 0)
      chats.append(build("li", { class: "empty" }, "No bots yet. They appear here once they are made."))
    if (focused !== -1) chats.children[focused]?.firstElementChild?.focus()
  }
  return { element, update }
}
