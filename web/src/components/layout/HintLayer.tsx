/**
 * A single tooltip for all table cells. An element sets its text in `data-hint`; a component around
 * each of a thousand cells would cost more than the cells.
 */
import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

const DELAY_MS = 300;
const MOST_PX = 360;

interface Hint {
  readonly element: HTMLElement;
  readonly text: string;
}

/** Mounted once in the app. */
export function HintLayer() {
  const [hint, setHint] = useState<Hint>();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const follow = new Attention((next) => {
      if (next !== undefined) setHint(next);
      setOpen(next !== undefined);
    });
    return () => follow.stop();
  }, []);
  if (hint === undefined) return null;
  return (
    <Tooltip
      target={hint.element}
      label={hint.text}
      opened={isOpen}
      maw={MOST_PX}
      zIndex={400}
      style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}
    />
  );
}

/**
 * Tracks the element whose hint is shown: under the mouse, focused, or tapped with no other effect.
 * Escape hides it; on touch screens scrolling and the next press do too.
 */
class Attention {
  readonly #onChange: (hint: Hint | undefined) => void;
  readonly #changes = new MutationObserver(() => this.#read());
  readonly #ears = new AbortController();
  #element: HTMLElement | undefined;
  #isShown = false;
  #isTouch = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onChange: (hint: Hint | undefined) => void) {
    this.#onChange = onChange;
    const { signal } = this.#ears;
    const early = { signal, capture: true };
    document.addEventListener('pointerover', this.#move, { signal });
    document.documentElement.addEventListener('pointerleave', this.#leave, { signal });
    document.addEventListener('focusin', this.#focus, { signal });
    document.addEventListener('focusout', this.#blur, { signal });
    document.addEventListener('keydown', this.#key, early);
    // Rows stop the propagation of clicks, so the layer listens in the capture phase.
    document.addEventListener('pointerdown', this.#press, early);
    document.addEventListener('click', this.#tap, early);
    document.addEventListener('scroll', this.#scroll, { ...early, passive: true });
  }

  stop(): void {
    this.#ears.abort();
    this.#leave();
  }

  #move = ({ target, pointerType }: PointerEvent): void => {
    if (pointerType === 'mouse') this.#turnTo(hintedAround(target), DELAY_MS);
  };

  #focus = ({ target }: FocusEvent): void => {
    if (target instanceof Element && target.matches(':focus-visible'))
      this.#turnTo(hintedAround(target), DELAY_MS);
  };

  #blur = ({ target }: FocusEvent): void => {
    if (hintedAround(target) === this.#element) this.#leave();
  };

  #key = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') this.#leave();
  };

  #press = ({ pointerType }: PointerEvent): void => {
    this.#isTouch = pointerType === 'touch';
    if (this.#isTouch) this.#leave();
  };

  #tap = ({ target }: MouseEvent): void => {
    if (!this.#isTouch) return;
    const element = hintedAround(target);
    // A pointer cursor marks an element with an action, whose effect makes a hint unnecessary.
    if (element && getComputedStyle(element).cursor !== 'pointer') this.#turnTo(element, 0);
  };

  #scroll = (): void => {
    if (this.#isTouch) this.#leave();
  };

  #turnTo(element: HTMLElement | undefined, delayMs: number): void {
    if (element === this.#element) return;
    this.#leave();
    if (element === undefined) return;
    this.#element = element;
    this.#timer = setTimeout(this.#show, delayMs);
  }

  #show = (): void => {
    this.#isShown = true;
    // The row may be removed, or a button's text change, while its hint is shown.
    this.#changes.observe(document.body, {
      childList: true,
      subtree: true,
      attributeFilter: ['data-hint'],
    });
    this.#read();
  };

  #read(): void {
    const element = this.#element;
    const text = element?.isConnected ? element.dataset.hint : undefined;
    if (element === undefined || text === undefined) this.#leave();
    else this.#onChange({ element, text });
  }

  #leave = (): void => {
    clearTimeout(this.#timer);
    this.#changes.disconnect();
    this.#element = undefined;
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#onChange(undefined);
  };
}

function hintedAround(target: EventTarget | null): HTMLElement | undefined {
  if (!(target instanceof Element)) return undefined;
  const element = target.closest<HTMLElement>('[data-hint]');
  return element === null || isWhole(element) ? undefined : element;
}

/** Whether a table cell shows its whole text, which its hint would only repeat. */
function isWhole(element: HTMLElement): boolean {
  if (!(element instanceof HTMLTableCellElement)) return false;
  const box = element.querySelector('input') ?? element;
  return box.scrollWidth <= box.clientWidth;
}
