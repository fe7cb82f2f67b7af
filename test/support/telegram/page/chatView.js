import { avatar, build, dayName, icon } from "./build.js"
import { bubble, quoteText, serviceText } from "./message.js"
import { attempt, notice } from "./server.js"

const ACTIONS = {
  typing: "typing…",
  upload_photo: "sending a photo…",
  record_voice: "recording a voice message…",
  upload_voice: "sending a voice message…"
}

const base64 = async (file) => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ""
  for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(text)
}

const statusOf = ({ card }, me) => {
  if (card.activity) return build("p", { class: "active" }, ACTIONS[card.activity] ?? "busy…")
  if (card.kind === "group") return build("p", {}, "group")
  const owned = card.owner && (card.owner.id === me.id ? "yours" : `${card.owner.name}’s`)
  return build("p", {}, `${owned || "bot"} · @${card.username}`)
}

/** Draws again only what has changed, so that focus stays and nothing is read out twice. */
const redrawer = (parent) => {
  let drawn = new Map()
  return (items) => {
    const next = new Map(
      items.map(({ data, key, make }) => {
        const seen = JSON.stringify(data)
        const old = drawn.get(key)
        return [key, old?.seen === seen ? old : { seen, node: make() }]
      })
    )
    const before = drawn
    drawn = next
    const nodes = [...next.values()].map(({ node }) => node)
    const kept = new Set(nodes)
    for (const { node } of before.values()) if (!kept.has(node)) node.remove()
    nodes.forEach((node, index) => {
      if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null)
    })
  }
}

const chip = (key, text) => ({ key, data: text, make: () => build("div", { class: "chip" }, text) })

const dots = () =>
  build(
    "div",
    { class: "message theirs first", "aria-hidden": "true" },
    build("div", { class: "bubble" }, build("span", { class: "dots" }, build("i"), build("i"), build("i")))
  )

const draftBubble = (draft, acts) =>
  build(
    "div",
    { class: "message theirs first drafting" },
    build("div", { class: "bubble" }, build("span", { class: "text", dir: "auto" }, draft.text || "Thinking…")),
    draft.canStop && build("button", { type: "button", class: "stop", onclick: acts.stop }, "Stop")
  )

const about = ({ card, description }) =>
  build(
    "div",
    { class: "about" },
    build("h2", {}, "What can this bot do?"),
    build("p", {}, description || `Press Start to talk with ${card.title}.`)
  )

const logItems = (chat, me, acts) => {
  const found = []
  let day = ""
  chat.messages.forEach((item, index) => {
    const { message } = item
    if (dayName(message.date) !== day) {
      day = dayName(message.date)
      found.push(chip(`day ${day}`, day))
    }
    const service = serviceText(message)
    if (service !== undefined) return found.push(chip(message.message_id, service))
    const previous = chat.messages[index - 1]?.message
    const isFirst =
      previous === undefined || previous.from?.id !== message.from?.id || serviceText(previous) !== undefined
    return found.push({
      key: message.message_id,
      data: [item, isFirst],
      make: () => bubble(item, chat, me, isFirst, acts)
    })
  })
  if (chat.messages.length === 0) found.push({ key: "about", data: chat.description, make: () => about(chat) })
  if (chat.draft) found.push({ key: "draft", data: chat.draft, make: () => draftBubble(chat.draft, acts) })
  else if (chat.card.activity) found.push({ key: "dots", data: "", make: dots })
  return found
}

/** What may be done with a bot. Its owner may do what @BotFather offers, too. */
const choices = ({ card, others }, me, acts) => {
  const found = []
  if (card.isStarted)
    found.push(card.isBlocked ? ["Unblock and restart", acts.start] : ["Block bot", acts.block, "danger"])
  if (card.owner?.id === me.id) {
    found.push(
      ["Revoke token", acts.revoke, "danger"],
      ...others.map(({ id, name }) => [`Give to ${name}`, () => acts.give(id, name), "danger"])
    )
  }
  return found
}

const menu = (me, acts) => {
  const list = build("ul", { hidden: true })
  const toggle = build(
    "button",
    { type: "button", class: "icon", "aria-label": "More", "aria-expanded": "false" },
    icon("more")
  )
  const show = (isOpen) => {
    list.hidden = !isOpen
    toggle.setAttribute("aria-expanded", String(isOpen))
    if (isOpen) list.querySelector("button").focus()
  }
  toggle.addEventListener("click", () => show(list.hidden))
  const element = build("div", { class: "menu" }, toggle, list)
  element.addEventListener("focusout", (event) => {
    if (!element.contains(event.relatedTarget)) show(false)
  })
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || list.hidden) return
    event.stopPropagation()
    show(false)
    toggle.focus()
  })
  let shown = ""
  const update = (chat) => {
    const offered = choices(chat, me, acts)
    const now = JSON.stringify(offered)
    if (now === shown) return
    shown = now
    element.hidden = offered.length === 0
    list.replaceChildren(
      ...offered.map(([label, run, look = ""]) =>
        build(
          "li",
          {},
          build(
            "button",
            {
              type: "button",
              class: look,
              onclick: () => {
                show(false)
                run()
              }
            },
            label
          )
        )
      )
    )
  }
  return { element, update }
}

const composer = (acts) => {
  const text = build("textarea", { rows: 1, "aria-label": "Message", placeholder: "Message", enterkeyhint: "send" })
  const files = build("input", { type: "file", hidden: true })
  const send = () => {
    const value = text.value.trim()
    if (value === "") return
    text.value = ""
    acts.say(value)
  }
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
    event.preventDefault()
    send()
  })
  files.addEventListener("change", async () => {
    const [file] = files.files
    if (file) await acts.attach(file, await base64(file), text.value.trim())
    text.value = ""
    files.value = ""
  })
  const element = build(
    "form",
    {
      class: "composer",
      onsubmit: (event) => {
        event.preventDefault()
        send()
      }
    },
    build(
      "button",
      { type: "button", class: "icon", "aria-label": "Attach a file", onclick: () => files.click() },
      icon("attach")
    ),
    files,
    text,
    build("button", { type: "submit", class: "icon send", "aria-label": "Send" }, icon("send"))
  )
  return { element, focus: () => text.focus() }
}

/** A chat. The field for writing stays unchanged while the rest is redrawn. */
export const chatView = (me, target) => {
  let replyTo
  let isDrawn = false
  let isAtEnd = true
  const acts = {
    say: async (text) => {
      const reply = replyTo
      acts.reply(undefined)
      await attempt("say", { person: me.id, ...target, text, ...(reply && { reply_to: reply.message_id }) })
    },
    attach: (file, bytes, caption) =>
      attempt("media", {
        person: me.id,
        ...target,
        base64: bytes,
        name: file.name,
        type: file.type,
        kind: file.type.startsWith("image/") ? "photo" : "document",
        ...(caption && { caption })
      }),
    press: async (message, label) => {
      const pressed = await attempt("press", { person: me.id, ...target, message: message.message_id, label })
      if (pressed) acts.awaitAnswer(pressed.id)
    },
    /** Shows what the bot says to a pressed button. */
    awaitAnswer: async (id, tries = 20) => {
      const answer = await attempt("callback_answer", { id })
      if (answer?.text) notice(answer.text)
      else if (answer && !("text" in answer) && tries > 0) setTimeout(() => acts.awaitAnswer(id, tries - 1), 250)
    },
    start: () => attempt("start", { person: me.id, ...target }),
    block: () => attempt("block", { person: me.id, ...target }),
    stop: () => attempt("stop_generation", { person: me.id, ...target }),
    revoke: async () => {
      if (await attempt("revoke", target)) notice("The token is revoked: the old one is dead")
    },
    give: async (person, name) => {
      if (await attempt("transfer", { ...target, person })) notice(`The bot is ${name}’s now`)
    },
    reply: (message) => {
      replyTo = message
      replying.hidden = message === undefined
      if (message)
        replying.firstElementChild.replaceChildren(
          build("b", {}, message.from?.first_name ?? ""),
          build("span", {}, quoteText(message))
        )
      if (message) field.focus()
    }
  }
  const who = build("div", { class: "who" })
  const more = menu(me, acts)
  const log = build("div", { class: "log", role: "log", "aria-label": "Messages", tabindex: 0 })
  const redraw = redrawer(log)
  const replying = build(
    "div",
    { class: "replying", hidden: true },
    build("div", { class: "quote" }),
    build(
      "button",
      { type: "button", class: "icon", "aria-label": "Do not reply", onclick: () => acts.reply(undefined) },
      icon("close")
    )
  )
  const field = composer(acts)
  const wide = build("button", { type: "button", class: "wide", onclick: acts.start })
  const keyboard = build("div", { class: "keys keyboard", hidden: true })
  const face = build("span")
  const element = build(
    "main",
    { class: "view" },
    build(
      "header",
      { class: "bar" },
      build(
        "button",
        {
          type: "button",
          class: "icon",
          "aria-label": "Back",
          onclick: () => {
            location.hash = "#/"
          }
        },
        icon("back")
      ),
      face,
      who,
      more.element
    ),
    log,
    replying,
    field.element,
    keyboard,
    wide
  )
  const toEnd = () => {
    if (isAtEnd) log.scrollTop = log.scrollHeight
  }
  log.addEventListener("scroll", () => {
    isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60
  })
  // A picture has its height only once it is there, and the keyboard of a phone takes from ours.
  log.addEventListener("load", toEnd, true)
  new ResizeObserver(toEnd).observe(log)
  log.addEventListener("click", (event) => {
    const command = event.target.closest("[data-say]")
    if (!command) return
    event.preventDefault()
    acts.say(command.dataset.say)
  })
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") location.hash = "#/"
  })

  const update = (chat) => {
    face.replaceChildren(avatar(chat.card))
    who.replaceChildren(build("h1", {}, chat.card.title), statusOf(chat, me))
    more.update(chat)
    redraw(logItems(chat, me, acts))
    const isOpen = chat.card.isStarted && !chat.card.isBlocked
    field.element.hidden = !isOpen
    wide.hidden = isOpen
    wide.textContent = chat.card.isBlocked ? "Restart" : "Start"
    keyboard.hidden = !isOpen || !chat.keyboard
    keyboard.replaceChildren(
      ...(chat.keyboard ?? []).map((row) =>
        build(
          "div",
          { class: "row" },
          row.map((button) => {
            const text = typeof button === "string" ? button : button.text
            return build("button", { type: "button", onclick: () => acts.say(text) }, text)
          })
        )
      )
    )
    toEnd()
    if (!isDrawn) (isOpen ? field : wide).focus()
    isDrawn = true
  }
  return { element, update }
}
