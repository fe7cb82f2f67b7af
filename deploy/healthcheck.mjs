// The HEALTHCHECK of the image, which has no curl. Exits 0 if the process answers on its listener for operations.
const { OPERATIONS_PORT, PORT } = process.env
const answer = await fetch(`http://127.0.0.1:${OPERATIONS_PORT || PORT}/healthz`).catch((error) => {
  console.error(String(error.cause ?? error))
  return null
})
process.exit(answer?.ok ? 0 : 1)
