/** The parsed `id` of the URL: `new`, `copy-7`, or the id of the token to edit. */
export type TokenFormTarget =
  | { readonly kind: 'closed' }
  | { readonly kind: 'new' }
  | { readonly kind: 'copy' | 'edit'; readonly id: number };

export function tokenFormTarget(text: string): TokenFormTarget {
  if (text === 'new') return { kind: 'new' };
  const [, copy, id] = /^(copy-)?(\d+)$/.exec(text) ?? [];
  if (id === undefined) return { kind: 'closed' };
  return { kind: copy === undefined ? 'edit' : 'copy', id: Number(id) };
}
