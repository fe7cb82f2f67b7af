import { contentOf } from "./contentWords.ts"
import { terms } from "./terms.ts"

/** Greetings, thanks and nods, as words are compared: without accents. */
const FILLERS = new Set(
  (
    "ok okay k lol haha hahaha hm hmm mm yes yeah yep yup no nope nah hi hey hello thanks thx thank bye goodbye " +
    "good goodnight morning afternoon evening night see talk later soon please sorry sure great cool nice wow right " +
    "really fine " +
    "hallo danke ja nein guten gute gut morgen abend nacht tschuss tschuß ciao bis bald bitte genau klar stimmt toll " +
    "ola oi sim nao bom boa dia tarde noite obrigado obrigada tchau logo claro beleza valeu " +
    "hola si buenos buenas dias tardes noches gracias adios hasta luego vale bueno oui"
  ).split(" ")
)

/** Whether a text is only a greeting, thanks or a nod. */
export const saysNothing = (text: string): boolean => contentOf(terms(text)).every((word) => FILLERS.has(word))
