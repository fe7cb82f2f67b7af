let noticeTimer

/** Says something in passing. */
export const notice = (text) => {
  const element = document.querySelector("#notice")
  element.textContent = text
  element.hidden = false
  clearTimeout(noticeTimer)
  noticeTimer = setTimeout(() => {
    element.hidden = true
  }, 4000)
}

const read = async (response) => {
  const body = await response.json()
  if (!response.ok) throw new Error(body.error)
  return body
}

export const look = async (name, fields = {}) => read(await fetch(`${name}?${new URLSearchParams(fields)}`))

export const act = async (name, fields = {}) =>
  read(
    await fetch(name, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(fields) })
  )

/** An act whose failure is only shown. */
export const attempt = async (name, fields) => {
  try {
    return await act(name, fields)
  } catch (cause) {
    notice(cause.message)
    return undefined
  }
}

/** Calls back at each change, and after each new connection. */
export const onChange = (callback) => {
  new EventSource("events").addEventListener("message", callback)
}
