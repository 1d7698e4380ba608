/** A Responses request on its way to an upstream of the same dialect: changed where it must be. */
import { isObject, type JsonObject, objectsIn, textIn } from '../../json/read-json.ts';
import type { ForwardChanges } from '../hub/capabilities.ts';
import { typeOfItem } from './item-to-hub.ts';
import { isOwnProof } from './reasoning-proof.ts';

/** The request as it goes on. */
export function forwardedResponsesRequest(
  body: JsonObject,
  { systemPrompt, dropsProofs }: ForwardChanges,
): JsonObject {
  const own = withoutForeignItems(withInstructions(body, systemPrompt));
  return dropsProofs ? withoutProofs(own) : own;
}

/** A channel's own system prompt comes before the client's. */
export function withInstructions(body: JsonObject, prompt: string): JsonObject {
  if (prompt === '') return body;
  const said = textIn(body, 'instructions');
  return { ...body, instructions: said === undefined ? prompt : `${prompt}\n\n${said}` };
}

/**
 * Without what earlier answers of this gateway put into the history: thoughts of other vendors, and
 * ids that mean nothing upstream. The same object when there are none.
 */
export function withoutForeignItems(body: JsonObject): JsonObject {
  return mapItems(body, (item) => {
    if (typeOfItem(item) === 'reasoning' && !isOwnThought(item)) return undefined;
    return MADE_ID.test(textIn(item, 'id') ?? '') ? withoutId(item) : item;
  });
}

/** Without encrypted thoughts, for an account that cannot read them: another one has made them. */
export function withoutProofs(body: JsonObject): JsonObject {
  return mapItems(body, (item) =>
    typeOfItem(item) === 'reasoning' && item.encrypted_content ? undefined : item,
  );
}

/** Ids that `ItemBuilder` makes end in the item's place. */
const MADE_ID = /^[a-z]+_.+_\d+$/;

function isOwnThought(item: JsonObject): boolean {
  const proof = textIn(item, 'encrypted_content');
  if (proof !== undefined) return isOwnProof(proof);
  // The upstream knows its own thoughts by their id.
  const id = textIn(item, 'id');
  return id !== undefined && !MADE_ID.test(id);
}

function withoutId({ id: _, ...item }: JsonObject): JsonObject {
  return item;
}

function mapItems(
  body: JsonObject,
  turn: (item: JsonObject) => JsonObject | undefined,
): JsonObject {
  const { input } = body;
  if (!Array.isArray(input)) return body;
  const turned = input.map((item: unknown) => (isObject(item) ? turn(item) : item));
  const isSame = turned.every((item, place) => item === input[place]);
  return isSame ? body : { ...body, input: turned.filter((item) => item !== undefined) };
}

/** Item types whose content only the account that made it can look up. */
const STORED_ITEMS: ReadonlySet<string> = new Set(['item_reference', 'compaction']);

/**
 * The field that only an upstream of this dialect can follow, since it keeps what the field speaks of;
 * undefined where the request says all itself.
 */
export function stateField(body: JsonObject): string | undefined {
  const named = ['previous_response_id', 'prompt'].find(
    (name) => isObject(body[name]) || body[name],
  );
  if (named !== undefined) return named;
  if (body.background === true) return 'background';
  const items = objectsIn(body, 'input');
  const place = items.findIndex((item) => STORED_ITEMS.has(typeOfItem(item)));
  return place === -1 ? undefined : `input.${place}`;
}

/** The ids of stored answers that a request builds on. */
export function referredIds(body: JsonObject): readonly string[] {
  const previous = textIn(body, 'previous_response_id');
  const items = objectsIn(body, 'input').flatMap((item) =>
    typeOfItem(item) === 'item_reference' ? (textIn(item, 'id') ?? []) : [],
  );
  return previous === undefined ? items : [previous, ...items];
}

/** The ids under which an upstream keeps a whole answer. */
export function keptIdsOf(answer: JsonObject): readonly string[] {
  return [answer, ...objectsIn(answer, 'output')].flatMap((holder) => textIn(holder, 'id') ?? []);
}
