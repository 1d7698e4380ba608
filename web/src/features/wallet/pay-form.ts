/**
 * Opens the payment page by posting a form into a new tab, as payment providers require. Refuses
 * anything but a web address.
 */
export function submitPayForm(url: string, fields: Readonly<Record<string, string>>): boolean {
  if (!/^https?:\/\//i.test(url)) return false;
  const form = document.createElement('form');
  form.method = 'post';
  form.action = url;
  form.target = '_blank';
  form.rel = 'noopener';
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
  return true;
}
