/** Scrolls to the first field marked as wrong and focuses it, after the errors have rendered. */
export function focusFirstError(): void {
  requestAnimationFrame(() => {
    const wrong = document.querySelector<HTMLElement>('[aria-invalid="true"], [data-error] input');
    wrong?.scrollIntoView({ block: 'center' });
    wrong?.focus({ preventScroll: true });
  });
}
