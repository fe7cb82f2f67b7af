import { topicsTold } from "../../retrieval/topics/topics.ts"

/** What people say without meaning it. Nothing in such a sentence is to be taken at its word. */
const FIGURATIVE = new RegExp(
  String.raw`\bso (?!happy|glad|proud|lucky|much|many)\p{L}{2,20}(?: \p{L}{2,20})? (?:that )?(?:i|we)['’]?(?:m|d|` +
    String.raw`ve)? ` +
    String.raw`(?!am|moved|live|work)\p{L}|\b(?:i['’]?m|i am|we['’]?re) (?:basically|practically|virtually|` +
    String.raw`literally) ` +
    String.raw`(?:an?|the|my) |\b(?:i['’]?m|i am|i was|we['’]?re) (?:just |really |being )?(?:such an? |` +
    String.raw`a bit of an? |` +
    String.raw`(?:an? )?(?:\p{L}{2,12} )?(?:mess|idiot|clown|potato|fool|wreck|zombie|genius|legend|nightmare|cursed|` +
    String.raw`doomed|toast)\W*$)|\bdying (?:of|to|for) |\b(?:could|would|['’]d) (?:murder|kill for) |` +
    String.raw`\ballergic to (?:mondays?|mornings?|work|working|people|rules|idiots|stupid|effort|exercise|` +
    String.raw`commitment|fun|housework|homework|bullshit)\b|` +
    String.raw`\bmarried to (?:my|the|his|her) (?:job|work|van|car|bike|phone|desk|sofa|shop|boat)\b|` +
    String.raw`\b(?:was|were|am|i['’]?m) (?:only |just )?(?:joking|kidding|teasing|pulling) |` +
    String.raw`(?:\b(?:is|are|was|i['’]?m)|['’](?:s|re)) (?:just |such |basically |literally |actually |pretty ` +
    String.raw`much |a ` +
    String.raw`bit of |really ){0,2}(?:an? |the |my )?(?:\p{L}{2,12} )?(?:monsters?|menace|satan|devil|saint|angels?|` +
    String.raw`gremlins?|goblins?|brains|looks|muscle|funny one|clown|nightmare|psycho|maniac|lunatic|vampire|` +
    String.raw`zombie|soup|` +
    String.raw`toast|disaster|demon|drama queen|pain in the (?:neck|arse|ass)|dragon|witch|bank|taxi service|` +
    String.raw`goldfish|` +
    String.raw`machine|robot|fossil|dinosaur|legend|genius|cyborg|magnet|wizard|ninja|dictator|tyrant)\b|` +
    String.raw`(?:\bis|\bare|['’]s) (?:\p{L}{2,10} )?my (?:therapists?|boss|personality|cardio|religion|alarm clock|` +
    String.raw`retirement plan|love language|roman empire|spirit animal|whole world|cross to bear)\b|` +
    String.raw`\b\d{1,3} ?(?:%|percent|per cent) \p{L}|\bmore \p{L}{2,12} than \p{L}{2,12}\W*$|` +
    String.raw`\bliterally (?:made|the|an?|satan|dead|dying|on|in)\b|\bplotting\b|\b(?:can|could) (?:barely|` +
    String.raw`hardly)\b|` +
    String.raw`\b(?:nearly|almost) (?:cried|died|choked|fainted|screamed|wet)\b|\b(?:i['’]?m|im|i am) (?:dead|` +
    String.raw`deceased|` +
    String.raw`crying|screaming|howling|weak)\b|\bso (?:hard|much|loud)\W*$|\bliving the dream\b|\b(?:worse|better) ` +
    String.raw`days\b|\b(?:rent|king|queen) free\b|\bcan['’]?t complain\b|\b(?:hate|love) (?:mondays|mornings|` +
    String.raw`fridays)\b`,
  "iu"
)
const IDIOM = new RegExp(
  String.raw`\b(?:over the moon|on cloud nine|all ears|in two minds|half a mind|round the bend|in a nutshell|rest my ` +
    String.raw`case|on fire|full of beans|(?:out of|losing|lost) my mind|at my wits|pulling my hair|beside myself|` +
    String.raw`going (?:mad|crazy|insane|nuts|bananas|(?:a)?round in circles)|in a (?:right )?state|` +
    String.raw`back to square one|` +
    String.raw`memory of an?|two left feet|black belt in (?!karate|judo|taekwondo|ju)|born (?:tired|ready|yesterday|` +
    String.raw`hungry|lazy)|to the moon|edge of (?:my|our) seat|jaw dropped|kill a horse|lived to tell|left arm for|` +
    String.raw`fluent (?:sarcasm|nonsense|rubbish|swearing)|can['’]?t have nice things|a bit of gossip|` +
    String.raw`away from my problems|bank account is|diet is|` +
    String.raw`as \p{L}{2,15} as an? \p{L}|never \p{L}{2,15}(?: \p{L}{2,10}){0,2} so (?:much|hard|long|loud))`,
  "iu"
)
const KILLING = /\b(?:is|are|['’]s|['’]re) (?:literally |really |just )?killing (?:me|us)\b/iu
/** The same in German, Portuguese and Spanish. */
const ABROAD = new RegExp(
  String.raw`(?<!\p{L})(?:(?:bin|ist|sind) (?:quasi|praktisch|sozusagen|im grunde|basically)|(?:sou|é|és) ` +
    String.raw`(?:praticamente|` +
    String.raw`basicamente|quase)|(?:soy|es|eres) (?:prácticamente|básicamente|casi)|(?:ist|é|es) (?:eine?|mein|` +
    String.raw`meine|um|` +
    String.raw`uma|un|una|o meu|meu|a minha|mi) (?:\p{L}{2,12} )?(?:therapeut|therapeutin|terapeuta|idiot|` +
    String.raw`idiota|schatz|` +
    String.raw`engel|drache|monster|clown|spinner|nervensäge|chat[oa]|pesad[oa]|monstro|monstruo|anj[oa]|ángel|` +
    String.raw`desastre|` +
    String.raw`diab[oa]|palhaç[oa]|payas[oa]|santo|santa|sant[oa]|dragão|dragón|vampir[oe]?)|(?:vai me|vai-me|` +
    String.raw`me va a) matar|` +
    String.raw`bringt mich um|könnte ein pferd|(?:macht|machen) mich (?:fertig|wahnsinnig|verrückt))(?!\p{L})`,
  "iu"
)

/** Whether a sentence is an exaggeration or a joke, as a whole. */
export const isFigurative = (sentence: string): boolean =>
  FIGURATIVE.test(sentence) ||
  IDIOM.test(sentence) ||
  ABROAD.test(sentence) ||
  (KILLING.test(sentence) && ![...topicsTold(sentence)].some((topic) => topic.startsWith("~health")))
