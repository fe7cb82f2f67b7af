import type { About } from "../Relationship.ts"

/** Whom a memory is about, as a prompt says it: "Jack, their friend". */
export const describeAbout = ({ name, relation }: About): string => {
  const related = relation === null ? "" : relation.includes("'s ") ? relation : `their ${relation}`
  return [name ?? "", related].filter((part) => part !== "").join(", ")
}
