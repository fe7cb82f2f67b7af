import { assert, describe, it } from "@effect/vitest"
import { emit } from "#pipeline/emission/emit.ts"
import { gateContextOf } from "#test/support/conversation/turns.ts"

const after = (text: string, gentle: boolean) =>
  emit({ bubbles: [text], citedIds: [] }, gateContextOf({ userTexts: [], gentle })).refusedBy

const BANTER = [
  "Haha, you goof! Cheer up, what did the duck say to the barman?",
  "lol that was a lot",
  "That's rough 😂",
  "You're fine 🤣",
  "Hahaha okay okay",
  "Come on, lighten up.",
  "Oh don't be so dramatic.",
  "Hey, drama queen, eat something.",
  "Why did the chicken cross the road?",
  "Knock knock!",
  "Just kidding. How are you?",
  "A horse walks into a bar, and…",
  "Snap out of it, sailor.",
  "Turn that frown upside down.",
  "Reiß dich zusammen.",
  "Kopf hoch! Kennst du den mit dem Hasen?",
  "Haha, du Dussel.",
  "Jetzt stell dich nicht so an.",
  "Willst du einen Witz hören?",
  "Hihi, das wird schon.",
  "Lach doch mal wieder.",
  "Sei kein Trauerkloß.",
  "Jajaja, no pasa nada.",
  "¡Anímate! La vida es bella.",
  "Alegra esa cara.",
  "No seas dramática.",
  "Ay tontita, come algo.",
  "¿Sabes qué le dijo un pato a otro?",
  "Te cuento un chiste.",
  "Deja de llorar.",
  "kkkk relaxa",
  "rsrs tá bom",
  "Se anima aí!",
  "Deixa de drama.",
  "Sua boba, come alguma coisa.",
  "Quer ouvir uma piada?",
  "Alegra essa cara, vai.",
  "Para de chorar."
]
const WARM = [
  "I'm still here with you.",
  "I'm glad you told me. Did you reach somebody?",
  "You don't have to be cheerful for me.",
  "There's nothing silly about this.",
  "It's no joke, I know.",
  "I have the kettle on. Take your time. ❤️",
  "It's okay to cry.",
  "What did the doctor say to you?",
  "Why did they leave you alone with it?",
  "That smile will come back, no hurry.",
  "We can sit in the dark for a while.",
  "Has your sister called back?",
  "You are not a burden, and not a drama.",
  "I won't tell you to get over it.",
  "Ich bin da. Nimm dir Zeit.",
  "Weinen ist erlaubt.",
  "Das ist kein Spaß, ich weiß.",
  "Du musst dich nicht zusammenreißen.",
  "Was hat die Ärztin gesagt?",
  "Hast du heute schon etwas gegessen?",
  "Ich höre dir zu.",
  "Estoy aquí contigo.",
  "Puedes llorar, no pasa nada.",
  "¿Qué te dijo tu hermana?",
  "No tienes que animarte por mí.",
  "Qué bueno leerte.",
  "No es ninguna broma.",
  "Estou aqui com você.",
  "Pode chorar, sem pressa.",
  "O que o médico disse?",
  "Não é drama nenhum.",
  "Que bom ouvir tua voz.",
  "Você não precisa se animar por mim."
]

describe("a reply shortly after a crisis", () => {
  it.each(BANTER)("is refused when it laughs, jokes or teases: %j", (text) =>
    assert.strictEqual(after(text, true), "banter")
  )
  it.each(WARM)("passes when it is warm and plain: %j", (text) => assert.isNull(after(text, true)))
  it("may contain laughter in any other turn", () => assert.isNull(after("Haha, that was a good one.", false)))
})
