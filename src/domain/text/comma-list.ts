/** The members of a comma-separated list: trimmed, without blanks or duplicates. */
export function splitList(text: string): string[] {
  const members = text.split(',').map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== ''))];
}
