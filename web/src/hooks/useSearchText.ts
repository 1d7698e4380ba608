import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

const PAUSE_MS = 300;

/** The text of a search field whose query is in the URL; applied when typing pauses. */
export function useSearchText(
  applied: string,
  apply: (text: string) => void,
): { readonly typed: string; type(text: string): void; cancel(): void } {
  const [typed, setTyped] = useState(applied);
  const sent = useRef(applied);
  // The URL is trimmed and comes back while the user types on, and must not overwrite the input.
  useEffect(() => {
    if (applied !== sent.current) setTyped(applied);
    sent.current = applied;
  }, [applied]);
  const applySoon = useDebouncedCallback((text: string) => {
    sent.current = text.trim();
    apply(text);
  }, PAUSE_MS);
  const type = (text: string) => {
    setTyped(text);
    applySoon(text);
  };
  return { typed, type, cancel: applySoon.cancel };
}
