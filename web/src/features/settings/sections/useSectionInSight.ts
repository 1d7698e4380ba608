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
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
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

/** At the end of the page several sections are visible, and the last ones never reach the line. */
function sectionInSight(sections: readonly Element[], chosen: string): Element | undefined {
  const { innerHeight, scrollY } = window;
  const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
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
