import { useCallback, useEffect, useRef, useState } from 'react';

/** A section whose top is above this fraction of the window is the current one. */
const READ_AT = 0.3;

/** The current section of `holder`, and a function that scrolls to another. */
export function useSectionInSight() {
  const holder = useRef<HTMLDivElement>(null);
  const chosen = useRef('');
  const [current, setCurrent] = useState('');
  const look = useCallback(() => {
    const sections = [...(holder.current?.children ?? [])];
    setCurrent(nameOf(sectionInSight(sections, chosen.current)));
  }, []);
  useEffect(() => {
    look();
    const ears = new AbortController();
    const { signal } = ears;
    // In the capture phase, which also sees what scrolls inside a drawer.
    window.addEventListener('scroll', look, { signal, passive: true, capture: true });
    window.addEventListener('resize', look, { signal });
    return () => ears.abort();
  }, [look]);
  const goTo = (name: string) => {
    chosen.current = name;
    [...(holder.current?.children ?? [])]
      .find((section) => nameOf(section) === name)
      ?.scrollIntoView();
    look();
  };
  return { holder, current, goTo };
}

/** At the end several sections are visible, and the last ones never reach the line. */
function sectionInSight(sections: readonly Element[], chosen: string): Element | undefined {
  const { innerHeight } = window;
  const isAtEnd = (sections.at(-1)?.getBoundingClientRect().bottom ?? 0) <= innerHeight;
  const wanted = sections.find((section) => nameOf(section) === chosen);
  if (isAtEnd && wanted && wanted.getBoundingClientRect().top >= 0) return wanted;
  const begun = sections.filter(
    (section) => section.getBoundingClientRect().top <= innerHeight * READ_AT,
  );
  return begun.at(-1) ?? sections[0];
}

function nameOf(section: Element | undefined): string {
  return section?.getAttribute('data-section') ?? '';
}
