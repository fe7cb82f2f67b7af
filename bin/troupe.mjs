// Plain JavaScript that any Node >= 16 can read: an old Node must get this line instead of a syntax error.
const [major, minor] = process.versions.node.split(".").map(Number)
const stripsTypes = major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 19)

if (stripsTypes) {
  // citty colours its help, also in pipes, unless NO_COLOR is 1 (https://no-color.org allows any value).
  if (process.env.NO_COLOR || !process.stdout.isTTY || !process.stderr.isTTY) process.env.NO_COLOR = "1"
  // Caches stripped and compiled modules for the next start, which then takes two thirds of the time. If the cache
  // cannot be written, nothing changes.
  const { enableCompileCache } = await import("node:module")
  const { fileURLToPath } = await import("node:url")
  const compiled = fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url))
  enableCompileCache(compiled)
  // Threads read this variable.
  process.env.NODE_COMPILE_CACHE ??= compiled
  await import("./resolveOnce.mjs")
  await import("../src/main.ts")
} else {
  console.error(
    `Troupe cannot run on Node ${process.versions.node}: run "npm ci" without --ignore-scripts, which installs ` +
      `the Node 24 that package.json pins, and start with "npm start".`
  )
  process.exit(1)
}
