/** Errors by field, as Mantine's forms expect them. */
export function fieldErrors<P extends string>(
  problems: Readonly<Partial<Record<string, P>>>,
  text: (problem: P) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problems).flatMap(([field, problem]) =>
      problem === undefined ? [] : [[field, text(problem)]],
    ),
  );
}
