// Plain JavaScript that any Node can read, so that an old one says what to do instead of failing on syntax.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`troupe: this is Node ${process.versions.node}, which is too old. Run "npm ci" (without --ignore-scripts) to install the pinned Node 24, then "npm start".\n`)
  process.exit(1)
}
await import("../src/main.ts")
