/** Scrolls to the first field marked as wrong and focuses it, after the errors have rendered. */
export function focusFirstError(): void {
  requestAnimationFrame(() => {
    // The radio buttons of a JSON field choose its view.
    const wrong = document.querySelector<HTMLElement>(
      '[aria-invalid="true"], [data-error] input:not([type="radio"])',
    );
    wrong?.scrollIntoView({ block: 'center' });
    wrong?.focus({ preventScroll: true });
  });
}
