// Sets the reader's theme before anything is drawn, so that no other one flashes up. Loaded as a script of its own, as the pages' policy
// allows none within the page. `preferences/preferences.ts` writes what it reads.
try {
  const { theme } = JSON.parse(localStorage.getItem("svc.preferences") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the theme of the reader's machine stays.
}
