import { avatar, build } from "./build.js"
import { act } from "./server.js"

const WORDS = {
  USERNAME_OCCUPIED: "This username is already taken.",
  USERNAME_SUFFIX_MISSING: "The username must end in “bot”.",
  USERNAME_INVALID: "5 to 32 letters, digits and underscores, beginning with a letter.",
  NAME_INVALID: "The bot needs a name of up to 64 characters.",
  BOT_CREATE_LIMIT_EXCEEDED: "You own as many bots as an account may.",
  MANAGER_PERMISSION_MISSING: "This bot may not manage others."
}

const field = (label, input) => build("label", { class: "field" }, label, input)

/** What t.me/newbot opens: the person may change both names, and makes the bot with one tap. */
export const openNewBotDialog = (me, { manager, name, username }, done) => {
  const title = build("input", {
    type: "text",
    name: "name",
    value: name,
    maxlength: 64,
    required: true,
    autocomplete: "off"
  })
  const handle = build("input", {
    type: "text",
    name: "username",
    value: username,
    maxlength: 32,
    required: true,
    autocomplete: "off",
    spellcheck: "false"
  })
  const error = build("p", { class: "error", role: "alert" })
  const confirm = build("button", { type: "submit", class: "primary" }, "Create")
  const dialog = build(
    "dialog",
    { "aria-labelledby": "new-bot-title" },
    build(
      "form",
      {
        onsubmit: async (event) => {
          event.preventDefault()
          confirm.disabled = true
          try {
            const bot = await act("new_bot", {
              person: me.id,
              manager,
              username: handle.value.replace(/^@/, ""),
              name: title.value
            })
            dialog.dataset.made = bot.id
            dialog.close()
          } catch (cause) {
            error.textContent = WORDS[cause.message] ?? cause.message
            confirm.disabled = false
          }
        }
      },
      avatar({ id: 5, title: name || "?" }),
      build("h2", { id: "new-bot-title" }, "Create a new bot"),
      build("p", {}, `It will be yours, and @${manager} will manage it: read its messages and write in its name.`),
      field("Name", title),
      field("Username", handle),
      error,
      build(
        "div",
        { class: "actions" },
        build("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        confirm
      )
    )
  )
  dialog.addEventListener("close", () => {
    dialog.remove()
    done(dialog.dataset.made)
  })
  document.body.append(dialog)
  dialog.showModal()
  title.select()
}
