// The only script of our own: it says whether the page is live, pauses it, and keeps the end of a chat in view.
// Everything else works without it.
addEventListener("DOMContentLoaded", () => {
  const region = document.getElementById("live")
  const line = document.getElementById("live-state")
  if (region === null || line === null) return
  const label = line.querySelector("[data-label]")
  const button = line.querySelector("button")
  const words = {
    live: "● Live",
    paused: "❚❚ Paused",
    reconnecting: "○ Reconnecting…",
    ended: "○ Not live: reload the page"
  }
  let bubbles = 0
  const toEnd = () => {
    const chat = region.querySelector(".chat .phone")
    if (chat === null || chat.childElementCount === bubbles) return
    bubbles = chat.childElementCount
    chat.scrollTop = chat.scrollHeight
  }
  toEnd()
  new MutationObserver(toEnd).observe(region, { childList: true, subtree: true })
  let paused = false
  let missed = false
  const show = (state) => {
    line.hidden = false
    line.dataset.state = paused ? "paused" : state
    label.textContent = words[line.dataset.state]
    button.textContent = paused ? "Resume" : "Pause"
    button.hidden = state === "ended"
  }
  button.addEventListener("click", () => {
    paused = !paused
    if (!paused && missed) location.reload()
    show("live")
  })
  region.addEventListener("htmx:sse:after:connection", () => show("live"))
  region.addEventListener("htmx:sse:error", () => show("reconnecting"))
  region.addEventListener("htmx:sse:close", () => show("ended"))
  region.addEventListener("htmx:response:error", () => show("ended"))
  region.addEventListener("htmx:error", () => show("ended"))
  region.addEventListener("htmx:sse:before:connection", (event) => {
    if (event.detail.connection.attempt > 0) show("reconnecting")
  })
  region.addEventListener("htmx:sse:before:message", (event) => {
    if (!paused) return
    missed = true
    event.detail.cancelled = true
  })
  show("reconnecting")
})
