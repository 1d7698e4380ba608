const MOST_DECIMALS = 8;

/** Dollars of single calls and tokens, far below a cent: `$0.00024`, `-$1.5`. */
export function usdFine(usd: number): string {
  const text = Math.abs(usd)
    .toFixed(MOST_DECIMALS)
    .replace(/\.?0+$/, '');
  return usd < 0 && text !== '0' ? `-$${text}` : `$${text}`;
}
