// The search, and buttons that copy examples. Every page works without it.
const script = document.querySelector("script[data-search]")
const box = document.getElementById("search")
const input = document.getElementById("query")
const list = document.getElementById("results")
const status = document.getElementById("found")
const MOST = 12

let loading = null
const load = () => {
  loading ??= Promise.all([import(script.dataset.search), fetch("/docs/search.json")])
    .then(async ([{ default: MiniSearch }, answer]) => {
      if (!answer.ok) throw new Error(String(answer.status))
      return MiniSearch.loadJSON(await answer.text(), {
        fields: ["page", "heading", "body"],
        storeFields: ["page", "heading", "excerpt"]
      })
    })
    .catch((error) => {
      loading = null
      throw error
    })
  return loading
}

const element = (name, className, text) => {
  const made = document.createElement(name)
  if (className !== "") made.className = className
  made.textContent = text
  return made
}

const show = (results) => {
  list.replaceChildren(
    ...results.map(({ id, page, heading, excerpt }) => {
      const item = document.createElement("li")
      const link = document.createElement("a")
      link.href = id
      link.append(element("strong", "", heading))
      if (heading !== page) link.append(element("span", "where", page))
      link.append(element("span", "excerpt", excerpt))
      item.append(link)
      return item
    })
  )
  list.hidden = results.length === 0
}

const hide = () => {
  show([])
  status.textContent = ""
}

const search = async () => {
  const query = input.value.trim()
  if (query === "") return hide()
  try {
    const index = await load()
    if (input.value.trim() !== query) return
    const results = index.search(query, {
      prefix: true,
      fuzzy: 0.15,
      boost: { page: 2, heading: 3 },
      combineWith: "AND"
    })
    show(results.slice(0, MOST))
    status.textContent = results.length === 0 ? "No results" : `${Math.min(results.length, MOST)} results`
    status.classList.toggle("hidden", results.length > 0)
  } catch {
    show([])
    status.textContent = "The search is not available now."
    status.classList.remove("hidden")
  }
}

box.hidden = false
input.addEventListener("focus", () => void load().catch(() => {}))
input.addEventListener("input", search)
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]")
  if (event.key === "/" && typing === null && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault()
    input.focus()
  }
})
box.addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")]
  const at = links.indexOf(document.activeElement)
  if (event.key === "Escape") {
    input.value = ""
    hide()
    input.focus()
  } else if (event.key === "ArrowDown" && links.length > 0) {
    event.preventDefault()
    links[Math.min(at + 1, links.length - 1)].focus()
  } else if (event.key === "ArrowUp" && at !== -1) {
    event.preventDefault()
    if (at === 0) input.focus()
    else links[at - 1].focus()
  } else if (event.key === "Enter" && document.activeElement === input && links.length > 0) {
    links[0].click()
  }
})
// A result on the same page changes only the part after #.
list.addEventListener("click", (event) => {
  if (event.target.closest("a") !== null) hide()
})
document.addEventListener("click", (event) => {
  if (!box.contains(event.target)) hide()
})

for (const code of document.querySelectorAll(".code")) {
  const button = element("button", "copy", "Copy")
  button.type = "button"
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.querySelector("code").textContent)
      button.textContent = "Copied"
    } catch {
      button.textContent = "Not copied"
    }
    setTimeout(() => {
      button.textContent = "Copy"
    }, 2000)
  })
  code.append(button)
}
