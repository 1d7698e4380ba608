/** The members of a comma list as channels and tokens hold it: trimmed, no blanks, each once. */
export function splitList(text: string): string[] {
  const members = text.split(',').map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== ''))];
}
