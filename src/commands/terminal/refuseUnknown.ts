/** A misspelt flag or a name without quotes must not do something unintended. */
export const refuseUnknown = (
  args: { readonly _: ReadonlyArray<string> },
  known: ReadonlyArray<string>,
  positionals: number
) => {
  const unknown = [
    ...Object.keys(args)
      .filter((name) => name !== "_" && !known.includes(name))
      .map((name) => `--${name}`),
    ...args._.slice(positionals)
  ]
  if (unknown.length === 0) return
  process.stderr.write(`troupe: ${unknown.join(" ")}: unknown argument; see --help\n`)
  process.exit(1)
}
