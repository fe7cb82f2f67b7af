import { registerHooks } from "node:module"

/**
 * Node resolves each import of each module anew, with several looks at the disk, and a start makes six thousand.
 * Where a file of ours stands does not matter for what it names, nor who names a file: that is resolved once.
 */
const found = new Map()
registerHooks({
  resolve: (specifier, context, next) => {
    const { conditions, parentURL } = context
    const isRelative = specifier.startsWith(".")
    // What require() names goes by other rules, and a package may have packages of its own.
    if (
      parentURL === undefined ||
      !conditions.includes("import") ||
      (!isRelative && parentURL.includes("/node_modules/"))
    )
      return next(specifier, context)
    const name = isRelative ? new URL(specifier, parentURL).href : specifier
    if (!found.has(name)) found.set(name, { ...next(specifier, context), shortCircuit: true })
    return found.get(name)
  }
})
