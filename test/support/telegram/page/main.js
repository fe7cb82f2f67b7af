import { chatListView } from "./chatList.js"
import { chatView } from "./chatView.js"
import { openNewBotDialog } from "./newBotDialog.js"
import { act, attempt, look, notice, onChange } from "./server.js"

const screen = document.querySelector("#screen")
let me
let refresh = async () => {}

/** Whose phone it is: the one chosen in this tab, else the first person there is, else a new one. */
const findMe = async () => {
  const people = await look("people")
  const chosen = Number(sessionStorage.getItem("person"))
  return people.find(({ id }) => id === chosen) ?? people[0] ?? (await act("person", { first_name: "Mia" }))
}

const show = async (view, load) => {
  let isLatest = 0
  refresh = async () => {
    isLatest += 1
    const turn = isLatest
    const state = await load()
    if (turn === isLatest && view.element.isConnected) view.update(state)
  }
  screen.replaceChildren(view.element)
  await refresh()
}

const showList = () =>
  show(
    chatListView((id) => {
      sessionStorage.setItem("person", String(id))
      begin()
    }),
    () => look("list", { person: me.id })
  )

const showChat = (target) => show(chatView(me, target), () => look("chat", { person: me.id, ...target }))

/** Follows a t.me link to a bot; one with a payload starts it. */
const open = async (username, payload) => {
  const { chats } = await look("list", { person: me.id })
  const bot = chats.find((chat) => chat.username?.toLowerCase() === username.toLowerCase())
  if (!bot) {
    notice(`There is no @${username}`)
    location.replace("#/")
    return
  }
  if (payload !== null) await attempt("start", { person: me.id, bot: bot.id, ...(payload !== "" && { payload }) })
  location.replace(`#/bot/${bot.id}`)
}

const route = async () => {
  const [path, query = ""] = location.hash.slice(2).split("?")
  const [kind, first = "", second = ""] = path.split("/").map(decodeURIComponent)
  const fields = new URLSearchParams(query)
  if (kind === "bot") return showChat({ bot: first })
  if (kind === "group") return showChat({ group: first })
  if (kind === "open") return open(first, fields.get("start"))
  await showList()
  if (kind === "newbot") {
    openNewBotDialog(me, { manager: first, username: second, name: fields.get("name") ?? "" }, (made) =>
      location.replace(made ? `#/bot/${made}` : "#/")
    )
  }
}

const follow = () =>
  route().catch((cause) => {
    notice(cause.message)
    if (location.hash !== "#/" && location.hash !== "") location.replace("#/")
  })

const begin = async () => {
  me = await findMe()
  await follow()
}

window.addEventListener("hashchange", follow)
onChange(() => void refresh().catch((cause) => notice(cause.message)))
begin().catch((cause) => notice(cause.message))
