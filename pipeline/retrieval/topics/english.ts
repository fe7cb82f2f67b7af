/**
 * Topic words of English. One topic per line: the words for all of it, then groups of words for one thing in it. The
 * first word of a group names it in every language. A word after `?` only asks, and a word after `!` only tells.
 */
export const ENGLISH = `
pet: ?breed pet pets animal animals | cat cats kitten kittens kitty tomcat | dog dogs puppy pup hound greyhound
  greyhounds
  husky whippet labrador poodle terrier dachshund beagle spaniel collie corgi pug mutt retriever | hamster hamsters |
  rabbit rabbits bunny | parrot parakeet budgie cockatiel canary | horse horses pony | goldfish fish aquarium | turtle
  tortoise | snake python | lizard gecko iguana | ferret | rat rats | mouse mice | chicken chickens hen hens | goat
  goats | guinea | hedgehog
family: family relatives siblings sibling parents parent | mother mum mom mama mommy mummy ma stepmum stepmother
  stepmom | father dad papa daddy pa stepdad stepfather | sister sisters sis stepsister | brother brothers bro
  stepbrother | grandmother grandma granny gran nan nana nanna | grandfather grandpa grandad granddad gramps | aunt
  auntie aunty | uncle | cousin cousins | niece nieces | nephew nephews | twin twins
child: child children kid kids offspring ?grandchild ?grandchildren ?grandkids | son sons boy boys ?grandson
  ?grandsons | daughter daughters girl girls ?granddaughter ?granddaughters | baby newborn toddler
  expecting pregnant due | stepson stepdaughter
partner: partner spouse !divorce !anniversary !breakup relationship married remarried marry marriage boyfriend
  girlfriend husband wife fiance fiancee
  bf gf dating single engaged divorced widowed separated | wife | husband hubby | boyfriend bf | girlfriend gf | fiance
  fiancee | ex exes broke breakup dumped split
friend: friend friends mate mates buddy bestie bff pal
flatmate: flatmate flatmates roommate roommates housemate housemates lodger
boss: boss manager supervisor
work: job jobs work works worked working profession occupation career ?trade employer employed workplace | teacher
  teach teaches teaching taught | nurse nursing | doctor gp surgeon | dentist | welder welding | lawyer solicitor
  attorney barrister | driver | cook chef cooking | baker bakery | engineer engineering | developer programmer coder
  software | analyst | accountant accounting | clerk cashier | waiter waitress barista bartender server | paramedic |
  carpenter joiner | plumber | electrician | mechanic | farmer | fisherman | gardener | hairdresser barber | artist
  painter illustrator | designer | writer author journalist editor | musician | librarian | scientist researcher |
  architect | pharmacist pharmacy | vet veterinarian | pilot | soldier army navy | police officer cop | firefighter
  fireman | builder | cleaner janitor | translator interpreter | therapist psychologist counsellor counselor | midwife
  | photographer | actor actress | student | intern internship apprentice apprenticeship trainee | freelance freelancer
  | retired retire retirement pension | unemployed fired sacked redundant laid | company !firm !office !shop !store
  !factory !shipyard !warehouse !hospital !bank !restaurant !hotel !station !shift !shifts !nights !colleague !coworker
study: study studies studying studied university uni college degree course major exam exams thesis masters phd class
  classes semester student !training graduate graduated !dropped | school schools
home: home live lives !living lived flat apartment house ?town ?city village neighbourhood neighborhood street moved
  !moving !relocated !rent !room !rooms !based | garden yard balcony | address
origin: origin hometown !belgian !german !french !spanish !italian !portuguese !polish !dutch !irish
  !scottish !welsh !english !american !canadian !mexican !brazilian !indian !chinese !japanese !korean !turkish !greek
  !swedish !danish !norwegian !finnish !ukrainian !russian !nigerian !egyptian !moroccan !syrian !iranian !romanian
  born raised grew grow originally native nationality immigrated emigrated
allergy: allergy allergies allergic intolerant intolerance anaphylaxis epipen | nuts nut peanut peanuts walnuts
  hazelnuts almonds | lactose dairy milk | gluten coeliac celiac wheat | penicillin antibiotics | pollen hay hayfever |
  shellfish seafood prawns | eggs egg | bees wasps
diet: diet eat eats food foods !pizza !pasta !sushi !rice !bread !cheese !chocolate !cake !coriander !cilantro
  !mushrooms !olives !onions !garlic !tomatoes !spinach !broccoli !bananas !dairy !lactose !gluten !shellfish !curry
  !soup !salad !fish !noodles |
  vegetarian veggie | vegan | pescatarian | meat | halal kosher | pork
health: health illness condition stroke covid flu wheelchair crutches hearing disabled disability sick disease
  medical !diagnosed ill ?problem | diabetic diabetes insulin | asthma
  asthmatic inhaler | heart attack | epilepsy epileptic seizures | migraine migraines | depression depressed anxiety |
  adhd autistic autism dyslexic | cancer chemo | surgery operation operated | knee | back | broke broken fracture cast
  wrist | pressure | arthritis | insomnia
medicine: medicine medicines medication medications meds med pills pill tablets drug drugs prescription | antibiotics
  penicillin | insulin | inhaler | thinners | ibuprofen aspirin paracetamol
team: team club support supporter !fan !follow league football soccer | arsenal | chelsea | liverpool | everton |
  tottenham spurs | celtic | rangers | villa | leeds | newcastle | benfica | sporting | barcelona barca | atletico |
  betis | sevilla | bayern | dortmund bvb | schalke | werder | hertha | juventus | milan | ajax | psg | lakers |
  celtics | yankees | packers
hobby: hobby hobbies ?interests pastime ?spare ?free ?leisure ?fun !enjoy !enjoys !into | bouldering climbing climb |
  hiking hike | running run jogging marathon | swimming swim | cycling bike biking | fishing | chess | painting paint
  drawing draw | photography | knitting knit crochet sewing | gardening | reading read books | gaming games videogames
  | football soccer | tennis | basketball | volleyball | yoga pilates gym | dancing dance | skating skate | singing
  choir | baking bake | collect collects collecting collection collector | films movies cinema horror | pottery ceramics
instrument: instrument instruments ?play ?plays ?played music | band bands | piano keyboard | guitar | violin fiddle |
  cello | trumpet | drums drummer drum | flute | saxophone sax | bass | ukulele | clarinet | accordion | harp
vehicle: car vehicle drive drives drove wheels driving | fiat | skoda | toyota | ford | volvo | bmw | vw volkswagen
  golf | audi | honda | renault | peugeot | tesla | opel | seat | mazda | hyundai kia | motorbike motorcycle scooter |
  bike bicycle | van truck lorry | license licence
language: language languages speak speaks fluent bilingual | english | german | french | spanish | portuguese | italian
  | korean | japanese | chinese mandarin | arabic | russian | polish | dutch | turkish | hindi
birthday: birthday bday birthdate born
age: age aged
name: name named called nickname
fear: fear fears afraid scared terrified phobia phobic frightened | heights | spiders spider | flying | needles | dark
  | snakes
like: like likes love loves favourite favorite fav enjoy adore prefer
dislike: hate hates dislike dislikes despise
smoke: smoke smokes smoking smoker cigarettes cigarette vape vaping
drink: drink drinks drinking alcohol sober drunk beer wine | coffee | tea
travel: travel travels travelling trip holiday vacation abroad fly flying flight visit visiting
calm: calm calms calming relax relaxes unwind soothes sane !quiet
wedding: wedding weddings marry marries marrying married groom bride bestman
death: die died dies death dead passed funeral
event: appointment interview exam test operation surgery wedding concert party deadline presentation
verb: | sell sold | lose lost | meet met | break broke broken | buy bought | leave left | move moved moving | die died
  dead
  | win won | steal stole stolen | find found | fall fell | teach taught | speak spoke | quit quitting | give gave given
  | drive drove driven | write wrote written | begin began begun | catch caught | fly flew flown | ride rode | sing sang
  | swim swam | wear wore | choose chose chosen | eat ate eaten | drink drank | run ran | build built | learn learned
  learnt | marry married marrying remarried | cook cooks cooked
religion: religion religious church mosque synagogue muslim christian catholic jewish hindu buddhist atheist
`
