#include "page_parts.h"

namespace nesl_cli {

const char* const kPageStyle = R"css(
.nesl-show { --c0:#bfe3f7; --c1:#ffe2a8; --c2:#c9ecc2; --c3:#f6cbe0; --c4:#d9d0f5; --c5:#ffd2c4; --c6:#c5ece6; --c7:#e6e3ae;
  --ink:#16202a; --paper:#fff; --soft:#5b6773; --line:#c3ccd4; --panel:#f4f6f8; --mark:#ffe066; --accent:#0b5cad; --fade:rgba(255,255,255,.55);
  color:var(--ink); background:var(--paper); font:15px/1.45 system-ui, "DejaVu Sans", sans-serif; max-width:78rem;
  padding:.1rem .5rem; }
@media (prefers-color-scheme: dark) { .nesl-show { --c0:#1d4d68; --c1:#6b4d10; --c2:#2b5a24; --c3:#6d2b4c; --c4:#443577;
  --c5:#743524; --c6:#1f5a51; --c7:#57541a; --ink:#e8edf2; --paper:#14181d; --soft:#a3afba; --line:#46515c; --panel:#1e242b;
  --mark:#7a6300; --accent:#7cb8f5; --fade:rgba(0,0,0,.4); } }
.nesl-show code, .nesl-show pre, .nesl-show td { font-family: ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
.nesl-show h2 { font-size:1.15rem; margin:.2rem 0 .6rem; overflow-wrap:anywhere; }
.nesl-show h3 { font-size:1rem; margin:0 0 .5rem; overflow-wrap:anywhere; }
.nesl-show .controls { display:flex; flex-wrap:wrap; gap:.4rem; align-items:center; margin:0 0 .7rem; }
.nesl-show .controls[hidden] { display:none; }
.nesl-show button { font:inherit; color:inherit; background:var(--panel); border:1px solid var(--line); border-radius:4px;
  padding:.25rem .7rem; cursor:pointer; }
.nesl-show button:disabled { opacity:.45; cursor:default; }
.nesl-show button:focus-visible, .nesl-show input:focus-visible, .nesl-show .scroll:focus-visible { outline:3px solid var(--accent);
  outline-offset:1px; }
.nesl-show .slider { flex:1 1 10rem; min-width:8rem; accent-color:var(--accent); }
.nesl-show .status { min-width:8.5rem; color:var(--soft); }
.nesl-show .columns { display:grid; grid-template-columns:minmax(11rem, 17rem) minmax(0, 1fr); gap:1rem; }
.nesl-show nav { max-height:34rem; overflow:auto; border:1px solid var(--line); border-radius:4px; background:var(--panel); }
.nesl-show .list { list-style:none; margin:0; padding:0; counter-reset:step; }
.nesl-show .list li { counter-increment:step; margin:0; }
.nesl-show .list button { display:block; width:100%; text-align:left; border:0; border-radius:0; background:none; padding:.2rem .4rem;
  white-space:nowrap; overflow:hidden; text-overflow:ellipsis; font:.85rem/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }
.nesl-show .list button::before { content:counter(step) ". "; color:var(--soft); }
.nesl-show .list button[aria-current] { background:var(--accent); color:var(--paper); }
.nesl-show .list button[aria-current]::before { color:inherit; }
.nesl-show .list li { border-left:4px solid transparent; }
.nesl-show .list li.same-loop { border-left-color:var(--accent); }
.nesl-show .step { border:1px solid var(--line); border-radius:4px; padding:.8rem; margin:0 0 .8rem; }
.nesl-show .step[hidden] { display:none; }
.nesl-show .source { background:var(--panel); color:inherit; border:0; padding:.6rem; margin:0 0 .6rem; overflow:auto; max-height:18rem;
  font-size:.9rem; white-space:pre-wrap; overflow-wrap:anywhere; }
.nesl-show .source code { background:none; color:inherit; padding:0; }
.nesl-show mark { background:var(--mark); color:inherit; border-radius:2px; }
.nesl-show .value { margin:0 0 .3rem; overflow-wrap:anywhere; font-size:1.05rem; }
.nesl-show .value code { background:none; color:inherit; }
.nesl-show .type, .nesl-show .context, .nesl-show .size, .nesl-show .omitted { color:var(--soft); }
.nesl-show .context { margin:0 0 .5rem; }
.nesl-show .size { font-weight:normal; font-size:.8em; margin-left:.4em; }
.nesl-show .size::before { content:"\00d7"; }
.nesl-show .scroll { overflow-x:auto; margin:0 0 .6rem; }
.nesl-show table.strip { border-collapse:separate; border-spacing:2px; margin:0; width:auto; border:0; font-size:.9rem; }
.nesl-show .strip tr { background:none; }
.nesl-show .strip th { text-align:right; font-weight:600; padding:.15rem .6rem .15rem 0; white-space:nowrap; background:var(--paper); border:0;
  position:sticky; left:0; }
.nesl-show .strip .label { display:inline-block; max-width:13rem; overflow:hidden; text-overflow:ellipsis; vertical-align:bottom; }
.nesl-show .strip td { text-align:center; padding:.15rem .5rem; min-width:1.6rem; border-radius:3px; border:1px solid transparent;
  white-space:nowrap; color:var(--ink); }
.nesl-show .strip td.lengths { font-size:.85em; }
.nesl-show .strip td.flags { font-size:.85em; border-style:dashed; border-color:var(--soft); }
.nesl-show .strip td.left-out, .nesl-show .strip td.cut { color:var(--soft); }
.nesl-show .strip td.left-out { background:repeating-linear-gradient(45deg, transparent 0 4px, var(--line) 4px 5px); }
.nesl-show .strip td.nothing { border:1px dotted var(--line); }
.nesl-show .c0 { background:var(--c0); } .nesl-show .c1 { background:var(--c1); } .nesl-show .c2 { background:var(--c2); }
.nesl-show .c3 { background:var(--c3); } .nesl-show .c4 { background:var(--c4); } .nesl-show .c5 { background:var(--c5); }
.nesl-show .c6 { background:var(--c6); } .nesl-show .c7 { background:var(--c7); }
.nesl-show .strip td.shade { background-image:linear-gradient(var(--fade), var(--fade)); }
.nesl-show .badge { font-size:.75rem; font-weight:600; background:var(--accent); color:var(--paper); border-radius:9px; padding:.1rem .5rem;
  white-space:nowrap; }
.nesl-show .fusion { margin:.4rem 0 .8rem; }
.nesl-show .fusion li { margin:.25rem 0; overflow-wrap:anywhere; }
.nesl-show .fusion code { background:var(--panel); color:inherit; padding:0 .3rem; border-radius:3px; }
.nesl-show .failure { border-left:4px solid #c62828; padding:.4rem .8rem; overflow:auto; }
@media (max-width: 46rem) { .nesl-show .columns { grid-template-columns:minmax(0, 1fr); } .nesl-show nav { max-height:9rem; } }
)css";

const char* const kPageControls =
    R"html(<div class="controls" role="group" aria-label="step to show" hidden><button type="button" class="first">First</button><button type="button" class="previous">Previous</button><button type="button" class="next">Next</button><button type="button" class="last">Last</button><input type="range" class="slider" min="1" value="1" aria-label="step"><span class="status" role="status"></span><button type="button" class="all" aria-pressed="false">All steps</button></div>
)html";

const char* const kPageScript = R"js(
for (const root of document.querySelectorAll('.nesl-show:not([data-ready])')) {
  root.dataset.ready = 'yes';
  const steps = [...root.querySelectorAll('.step')];
  const buttons = [...root.querySelectorAll('.list button')];
  const loops = buttons.map(button => (button.dataset.loops ?? '').split(' ').filter(Boolean));
  const part = name => root.querySelector('.controls .' + name);
  const slider = part('slider'), all = part('all');
  let at = 0;
  const isWhole = () => all.getAttribute('aria-pressed') === 'true';
  const show = wanted => {
    at = Math.max(0, Math.min(steps.length - 1, wanted));
    steps.forEach((step, k) => { step.hidden = !isWhole() && k !== at; });
    buttons.forEach((button, k) => {
      if (k === at) button.setAttribute('aria-current', 'step'); else button.removeAttribute('aria-current');
      button.parentElement.classList.toggle('same-loop', loops[k].some(loop => loops[at].includes(loop)));
    });
    slider.value = at + 1;
    part('status').textContent = `step ${at + 1} of ${steps.length}`;
    part('first').disabled = part('previous').disabled = at === 0;
    part('last').disabled = part('next').disabled = at === steps.length - 1;
    const list = root.querySelector('nav'), button = buttons[at];
    if (button.offsetTop < list.scrollTop + list.offsetTop || button.offsetTop + button.offsetHeight > list.scrollTop + list.offsetTop + list.clientHeight)
      list.scrollTop = button.offsetTop - list.offsetTop - list.clientHeight / 2;
    if (isWhole()) steps[at].scrollIntoView({block: 'nearest'});
  };
  if (steps.length === 0) continue;
  slider.max = steps.length;
  root.querySelector('.controls').hidden = false;
  part('first').onclick = () => show(0);
  part('previous').onclick = () => show(at - 1);
  part('next').onclick = () => show(at + 1);
  part('last').onclick = () => show(steps.length - 1);
  slider.oninput = () => show(Number(slider.value) - 1);
  all.onclick = () => { all.setAttribute('aria-pressed', String(!isWhole())); show(at); };
  buttons.forEach((button, k) => { button.onclick = () => show(k); });
  const keys = {ArrowRight: () => at + 1, ArrowLeft: () => at - 1, PageDown: () => at + 10, PageUp: () => at - 10,
    Home: () => 0, End: () => steps.length - 1};
  const isAlone = document.body.firstElementChild?.firstElementChild === root;
  (isAlone ? document : root).addEventListener('keydown', event => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target === slider || !(event.key in keys)) return;
    const table = event.target.closest?.('.scroll');
    if (table && table.scrollWidth > table.clientWidth) return;
    event.preventDefault();
    show(keys[event.key]());
  });
  show(isAlone ? Number(/^#step-(\d+)$/.exec(location.hash)?.[1] ?? 1) - 1 : 0);
}
)js";

}  // namespace nesl_cli
